// SPDX-License-Identifier: MIT

/// What a terminal is sent for a view that is drawn again and again: it fills the alternate screen.
///
/// Everything here computes the bytes to send and sends nothing. The alternate screen has no history, so nothing
/// scrolls, a terminal that is resized rearranges nothing, and what stood there before comes back at the end.
struct LiveScreen: Sendable {
  /// Makes a terminal as it was before; also one without an alternate screen, which is left empty.
  static let leaving = "\u{1b}[H\u{1b}[J\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  static let entering = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H\u{1b}[J"

  /// Whether the alternate screen is shown.
  private(set) var isOpen = false

  /// What draws new lines over the old ones, in one write.
  ///
  /// - Parameters:
  ///   - lines: safe text without newlines, which may have colours.
  ///   - size: the terminal as it is now; the lines that would not fit are left out at the end.
  /// - Returns: the bytes to send to the terminal.
  mutating func redraw(_ lines: [String], size: TerminalSize) -> [UInt8] {
    var bytes: [UInt8] = []
    if !isOpen { bytes.append(contentsOf: LiveScreen.entering.utf8) }
    isOpen = true
    bytes.append(contentsOf: "\u{1b}[H".utf8)
    let shown = lines.prefix(max(1, size.rows))
    for (index, line) in shown.enumerated() {
      if index > 0 { bytes.append(contentsOf: "\r\n".utf8) }
      // Not behind the line: the cursor stays on the last column when that is written, and would take it away.
      bytes.append(contentsOf: "\u{1b}[K".utf8)
      bytes.append(contentsOf: line.utf8)
    }
    // A newline behind the last row would scroll.
    if shown.count < size.rows {
      bytes.append(contentsOf: (shown.isEmpty ? "\u{1b}[J" : "\r\n\u{1b}[J").utf8)
    }
    return bytes
  }

  /// What brings back what stood there before, and the cursor; nothing when nothing was drawn.
  mutating func close() -> [UInt8] {
    defer { isOpen = false }
    return isOpen ? Array(LiveScreen.leaving.utf8) : []
  }
}
