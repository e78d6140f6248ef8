// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEPeripheral

/// The central that left a served serial port.
struct CentralLeft: Error {}

/// The centrals that are subscribed to a served serial port, until the last one leaves.
final class CentralSerial: SerialPeer {
  /// The maximum number of packets that wait for the pump, which takes them all at once.
  private static let mostPackets = 4096
  /// The number of packets given to the library at once.
  private static let packetsAtOnce = 32

  private let tx: PublishedCharacteristic
  private let loop: EventLoop
  private let packets = BatchChannel<[UInt8]>(capacity: mostPackets)
  private let left = Promise<Void>()
  private let packetSize = Lock(PacketSize())
  private let report: @Sendable (String) -> Void

  init(_ tx: PublishedCharacteristic, on loop: EventLoop, report: @escaping @Sendable (String) -> Void) {
    (self.tx, self.loop, self.report) = (tx, loop, report)
  }

  /// Takes a write of a central.
  func write(_ request: WriteRequest) {
    packetSize.withLock { $0.note(mtu: request.mtu, longest: LocalCharacteristic.maximumLength) }
    packets.send(request.value, inTurnOf: loop)
  }

  /// Ends the port: no central is subscribed any more.
  func leave() { left.fulfil(()) }

  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws {
    try await loop.race(
      {
        while let (batch, dropped) = await self.packets.next() {
          if dropped > 0 { self.report("\(dropped) packets of the central were dropped") }
          await deliver(batch)
        }
      },
      {
        await self.left.value(ifCancelled: ())
        try Task.checkCancellation()
        throw CentralLeft()
      })
  }

  func send(from queue: ByteQueue, _ report: @escaping @Sendable (SerialDelivery) -> Void) async throws {
    let size = { [self] in packetSize.withLock { $0.bytes } }
    try await queue.passOn({ Self.packetsAtOnce * size() }, report) { bytes in
      // A central takes its time; if it leaves, this is cancelled.
      try await tx.send(contentsOf: bytes.parts(of: size()), timeout: nil)
    }
  }
}
