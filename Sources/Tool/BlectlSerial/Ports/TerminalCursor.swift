// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// The column of the terminal's cursor as far as the bytes sent there tell: at the beginning of a line, or not.
package final class TerminalCursor: Sendable {
  private let isAtStart = Lock(true)

  package init() {}

  /// The cursor of standard output; nil if that is not a terminal.
  package static var ofOutput: TerminalCursor? { isatty(STDOUT_FILENO) == 1 ? TerminalCursor() : nil }

  /// Records bytes that went to the terminal.
  package func passed(_ bytes: ArraySlice<UInt8>) {
    if let last = bytes.last { isAtStart.exchange(last == UInt8(ascii: "\n")) }
  }

  /// Returns the bytes that end a line that has begun; empty if there is none.
  package func lineEnd() -> [UInt8] { isAtStart.exchange(true) ? [] : [UInt8(ascii: "\n")] }
}
