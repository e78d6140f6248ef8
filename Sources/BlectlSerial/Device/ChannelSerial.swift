// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECore

/// An L2CAP channel as a serial port, at either end.
final class ChannelSerial: SerialPeer {
  /// How many packets are given to the kernel at once.
  private static let packetsAtOnce = 8

  private let channel: L2CAPChannel
  private let loop: EventLoop
  /// What ends the port when the channel is closed.
  private let ending: any Error
  /// How long the other end may take nothing of the last bytes; nil sets no limit.
  private let patience: Duration?
  private let gone = Promise<Void>()
  private let moment = Lock<Moment?>(nil)

  init(_ channel: L2CAPChannel, endsWith ending: any Error, patience: Duration? = nil, on loop: EventLoop) {
    (self.channel, self.ending, self.patience, self.loop) = (channel, ending, patience, loop)
  }

  /// When the channel was closed, if it was.
  var end: Moment? { moment.withLock { $0 } }

  /// Waits until the channel was found closed, or the task is cancelled; only one task may wait.
  func waitUntilLeft() async { await gone.value(ifCancelled: ()) }

  /// The other end gets no more credits when enough waits in the kernel.
  var canWait: Bool { true }

  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws {
    while let packet = try await channel.receive() { await deliver([packet]) }
    try Task.checkCancellation()
    moment.exchange(Moment())
    gone.fulfil(())
    throw ending
  }

  /// What the kernel has counts as arrived: it does not say more.
  func send(from queue: ByteQueue, _ report: @escaping @Sendable (SerialDelivery) -> Void) async throws {
    let size = Self.packetsAtOnce * channel.maximumSendLength
    do {
      try await queue.passOn({ size }, report) { try await channel.send(contentsOf: $0) }
      // The kernel drops what the other end has not taken when the channel is closed.
      try await channel.waitUntilSent(timeout: patience)
    } catch let error as BLEError where error.code == .disconnected {
      // What receives reports the end of the channel, after what came before it.
      await Promise<Void>().value(ifCancelled: ())
    }
  }
}
