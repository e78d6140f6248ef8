// SPDX-License-Identifier: MIT

/// The far end of a serial port while its link lasts: a device, or the centrals of this machine.
package protocol SerialPeer: Sendable {
  /// True if it can be held up; what others send is dropped while the near end has no room.
  var canWait: Bool { get }
  /// Passes on each packet, until the link ends or the task is cancelled.
  ///
  /// - Throws: why the link has ended.
  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws
  /// Sends what is in a queue, and what is added, until its end, the end of the link, or the end of the task.
  ///
  /// The bytes stay in the queue. `report` is told what has become of the first ones, which it removes. After the end of
  /// the queue, it returns when no byte would be lost with the end of the port.
  ///
  /// - Throws: why the link has ended.
  func send(from queue: ByteQueue, _ report: @escaping @Sendable (SerialDelivery) -> Void) async throws
  /// Makes sure that the peer is there, and that what it has sent before has come: its silence alone may be that of a lost
  /// link.
  ///
  /// - Throws: why the link has ended, or the peer does not answer.
  func confirm() async throws
}

extension SerialPeer {
  package var canWait: Bool { false }
  package func confirm() async throws {}
}

/// The delivery status of bytes.
package struct SerialDelivery: Sendable, Equatable {
  /// The number of bytes that have arrived, the first ones.
  package var arrived = 0
  /// The number of following bytes that may have arrived.
  ///
  /// Nothing more can be learnt about them.
  package var uncertain = 0
}

extension ByteQueue {
  /// Passes the bytes on in parts of up to `size`, each when the one before has arrived.
  func passOn(
    _ size: () -> Int, _ report: (SerialDelivery) -> Void, to send: ([UInt8]) async throws -> Void
  ) async throws {
    while await waitForBytes(), let part = bytes(size()) {
      do {
        try await send(part)
        report(SerialDelivery(arrived: part.count))
      } catch {
        report(SerialDelivery(uncertain: part.count))
        throw error
      }
    }
  }
}

extension [UInt8] {
  /// The bytes in parts of a size; only the last one may be shorter.
  package func parts(of size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
