// SPDX-License-Identifier: MIT

/// The bytes for a terminal whose alternate screen a changing view fills; sends nothing itself.
///
/// The alternate screen has no history: nothing scrolls, a resized terminal rearranges nothing, and the
/// earlier contents return at the end.
struct LiveScreen: Sendable {
  /// Restores the terminal; one without an alternate screen is left empty.
  static let leaving = "\u{1b}[H\u{1b}[J\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  static let entering = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H\u{1b}[J"

  private(set) var isOpen = false

  /// Draws safe lines, perhaps coloured, over the old ones in one write; lines that do not fit are left out.
  mutating func redraw(_ lines: [String], size: TerminalSize) -> [UInt8] {
    var bytes: [UInt8] = []
    if !isOpen { bytes.append(contentsOf: LiveScreen.entering.utf8) }
    isOpen = true
    bytes.append(contentsOf: "\u{1b}[H".utf8)
    let shown = lines.prefix(max(1, size.rows))
    for (index, line) in shown.enumerated() {
      if index > 0 { bytes.append(contentsOf: "\r\n".utf8) }
      // Not after the line: the cursor stays on a written last column, and would erase it.
      bytes.append(contentsOf: "\u{1b}[K".utf8)
      bytes.append(contentsOf: line.utf8)
    }
    // A newline after the last row would scroll.
    if shown.count < size.rows {
      bytes.append(contentsOf: (shown.isEmpty ? "\u{1b}[J" : "\r\n\u{1b}[J").utf8)
    }
    return bytes
  }

  /// Restores the earlier contents and the cursor; empty if nothing was drawn.
  mutating func close() -> [UInt8] {
    defer { isOpen = false }
    return isOpen ? Array(LiveScreen.leaving.utf8) : []
  }
}
