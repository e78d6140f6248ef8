// SPDX-License-Identifier: MIT

/// The near end of a serial port, where programs and people are; used only on the loop.
package protocol SerialPort: Sendable {
  /// Whether it uses the terminal, or standard input, which questions need until the peer was found.
  var usesTerminal: Bool { get }
  /// Whether the end of its input ends everything, even without a link: a person wants to go.
  var endsWithInput: Bool { get }
  /// Waits for bytes, and takes up to `most`; nil at their end, or if the task is cancelled.
  func read(_ most: Int) async throws -> [UInt8]?
  /// Writes bytes at the speed of their reader.
  ///
  /// - Throws: why nothing more can be written.
  func write(_ bytes: [UInt8]) async throws
  /// Begins, when the peer was found.
  func begin()
  /// Ends, and gives back what it took.
  func end()
}

extension SerialPort {
  package var usesTerminal: Bool { false }
  package var endsWithInput: Bool { false }
  package func begin() {}
}
