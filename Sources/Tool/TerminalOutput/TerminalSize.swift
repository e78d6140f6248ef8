// SPDX-License-Identifier: MIT
import Glibc

/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Hashable {
  package var columns: Int
  package var rows: Int

  /// The size of every terminal since the VT100.
  package static let standard = TerminalSize(columns: 80, rows: 24)
}

extension TerminalSize {
  /// The current size of the terminal behind a descriptor; exported `COLUMNS` and `LINES` take precedence.
  init(descriptor: Int32, environment: (String) -> String?) {
    var window = winsize()
    let known = ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0
    self.init(
      columns: Self.positive(environment("COLUMNS")) ?? Self.positive(known, window.ws_col)
        ?? Self.standard.columns,
      rows: Self.positive(environment("LINES")) ?? Self.positive(known, window.ws_row) ?? Self.standard.rows)
  }

  private static func positive(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// A serial line reports 0 columns.
  private static func positive(_ known: Bool, _ count: UInt16) -> Int? {
    known && count > 0 ? Int(count) : nil
  }
}
