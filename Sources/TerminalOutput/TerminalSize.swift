// SPDX-License-Identifier: MIT
import Glibc

/// How many characters a terminal shows.
package struct TerminalSize: Sendable, Hashable {
  package var columns: Int
  package var rows: Int

  /// What every terminal since the VT100 has.
  package static let standard = TerminalSize(columns: 80, rows: 24)
}

extension TerminalSize {
  /// The size of the terminal behind a descriptor, as it is now: windows change.
  ///
  /// - Parameters:
  ///   - descriptor: a descriptor of the terminal.
  ///   - environment: the value of an environment variable; `COLUMNS` and `LINES`, where exported, are the
  ///     user's word.
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

  /// A serial line says that it has 0 columns.
  private static func positive(_ known: Bool, _ count: UInt16) -> Int? {
    known && count > 0 ? Int(count) : nil
  }
}
