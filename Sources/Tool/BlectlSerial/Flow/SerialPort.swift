// SPDX-License-Identifier: MIT

/// The near end of a serial port, where programs and people are; used only on the loop.
package protocol SerialPort: Sendable {
  /// True if it uses the terminal, or standard input, which questions need until the peer was found.
  var usesTerminal: Bool { get }
  /// True if the end of its input ends everything, even without a link: a person wants to go.
  var endsWithInput: Bool { get }
  /// Waits for bytes, and takes up to `most`; nil at their end, or if the task is cancelled.
  func read(_ most: Int) async throws -> [UInt8]?
  /// Writes as many of the bytes as their reader accepts, at least one; returns how many.
  ///
  /// - Throws: why nothing more can be written.
  func write(_ bytes: ArraySlice<UInt8>) async throws -> Int
  /// The longest time for which the reader may take nothing at the end, with bytes left; nil sets no limit.
  var endTime: Duration? { get }
  /// The number of written bytes that the reader has not taken, as far as is known.
  var unreadCount: Int { get }
  /// The number of bytes that the kernel holds for the reader, beyond those unread here. A change shows that
  /// the reader takes something.
  var heldCount: Int { get }
  /// The number of bytes that came from writers but were not read.
  var unsentCount: Int { get }
  /// Begins, when the peer was found.
  func begin()
  /// Ends, and gives back what it took.
  func end()
}

extension SerialPort {
  package var usesTerminal: Bool { false }
  package var endsWithInput: Bool { false }
  package var endTime: Duration? { nil }
  package var unreadCount: Int { 0 }
  package var heldCount: Int { 0 }
  package var unsentCount: Int { 0 }
  package func begin() {}
}
