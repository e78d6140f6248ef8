// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// An L2CAP channel as a serial port, at either end.
final class ChannelSerial: SerialPeer {
  /// The number of packets given to the kernel at once.
  private static let packetsAtOnce = 8

  private let channel: L2CAPChannel
  /// Finds the error that ends the port when the channel is closed.
  private let ending: @Sendable () async -> any Error
  private let confirming: @Sendable () async throws -> Void
  /// The longest time for which the other end may accept nothing; nil sets no limit.
  private let patience: Duration?
  private let moment = Lock<Moment?>(nil)

  init(
    _ channel: L2CAPChannel, patience: Duration? = nil,
    confirming: @escaping @Sendable () async throws -> Void = {},
    endsWith ending: @escaping @Sendable () async -> any Error
  ) {
    (self.channel, self.ending, self.patience) = (channel, ending, patience)
    self.confirming = confirming
  }

  /// The time when the channel was closed, if it was.
  var end: Moment? { moment.withLock { $0 } }

  /// The other end gets no more credits when enough waits in the kernel.
  var canWait: Bool { true }

  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws {
    while let packet = try await channel.receive() { await deliver([packet]) }
    try Task.checkCancellation()
    moment.exchange(Moment())
    throw await ending()
  }

  func confirm() async throws { try await confirming() }

  /// Sends the bytes, which count as arrived once the kernel has them.
  ///
  /// The kernel does not report more.
  func send(from queue: ByteQueue, _ report: @escaping @Sendable (SerialDelivery) -> Void) async throws {
    let size = Self.packetsAtOnce * channel.maximumSendLength
    do {
      try await queue.passOn({ size }, report) { try await channel.send(contentsOf: $0, timeout: patience) }
      // The kernel drops what the other end has not taken when the channel is closed.
      try await channel.waitUntilSent(timeout: patience)
    } catch let error as BLEError where error.code == .disconnected {
      // What receives reports the end of the channel, after what came before it.
      await Promise<Void>().value(ifCancelled: ())
    }
  }
}
