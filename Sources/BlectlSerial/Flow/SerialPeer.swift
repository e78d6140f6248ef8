// SPDX-License-Identifier: MIT

/// The far end of a serial port while its link lasts: a device, or the centrals of this machine.
package protocol SerialPeer: Sendable {
  /// Whether it can be held up; what others send is dropped while the near end has no room.
  var canWait: Bool { get }
  /// Passes on each packet, until the link ends or the task is cancelled.
  ///
  /// - Throws: why the link has ended.
  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws
  /// Waits until the peer takes bytes; returns how many it takes at once, or nil if the task is cancelled.
  func room() async throws -> Int?
  /// Sends bytes, as many as there is room for, and returns when they have arrived.
  func send(_ bytes: [UInt8]) async -> SendOutcome
  /// Waits until nothing that was sent would be lost with the end of the port, or the task is cancelled.
  ///
  /// - Throws: why something was.
  func waitUntilSent() async throws
}

extension SerialPeer {
  package var canWait: Bool { false }

  /// For peers whose ``send(_:)`` returns when the bytes have arrived.
  package func waitUntilSent() async throws {}
}

/// What became of bytes.
package struct SendOutcome: Sendable {
  /// How many have arrived, the first ones.
  package var arrived: Int
  /// How many of the next ones may have arrived.
  package var uncertain = 0
  /// Why the others did not.
  package var failure: (any Error)?
}

extension [UInt8] {
  /// The bytes in parts of a size; only the last one may be shorter.
  package func parts(of size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
