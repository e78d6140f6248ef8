// SPDX-License-Identifier: MIT

/// Some lines at the bottom of a terminal that are drawn again and again in the same place.
///
/// Everything here computes the bytes to send and sends nothing. The lines above the region stay as they are;
/// the region never scrolls, because it is cropped to the height of the terminal, and never wraps, because
/// wrapping is off while it is drawn.
struct LiveRegion: Sendable {
  /// Makes a terminal usable again after a region that was not finished: the cursor is seen, lines wrap.
  static let restore = "\u{1b}[?7h\u{1b}[?25h"

  /// How many lines stand on the terminal, the cursor being at the start of the line below them.
  private(set) var drawnLines = 0

  /// Whether the cursor is hidden.
  private var isActive = false

  /// What draws new lines over the old ones, in one write.
  ///
  /// - Parameters:
  ///   - lines: safe text without newlines, which may have colours.
  ///   - size: the terminal as it is now; the lines that would not fit are left out at the end.
  /// - Returns: the bytes to send to the terminal.
  mutating func redraw(_ lines: [String], size: TerminalSize) -> [UInt8] {
    var bytes: [UInt8] = []
    if !isActive {
      bytes.append(contentsOf: "\u{1b}[?25l".utf8)
      isActive = true
    }
    appendLines(lines.prefix(max(1, size.rows - 1)), to: &bytes)
    return bytes
  }

  /// What removes the region and shows the cursor again; nothing when nothing was drawn.
  mutating func clear() -> [UInt8] {
    guard isActive else { return [] }
    var bytes: [UInt8] = []
    appendStart(to: &bytes)
    bytes.append(contentsOf: "\u{1b}[J\(Self.restore)".utf8)
    self = LiveRegion()
    return bytes
  }

  /// What leaves the region as it is, for good, and shows the cursor again; nothing when nothing was drawn.
  mutating func finish() -> [UInt8] {
    defer { self = LiveRegion() }
    return isActive ? Array(Self.restore.utf8) : []
  }

  private mutating func appendLines(_ lines: some Collection<String>, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "\u{1b}[?7l".utf8)
    appendStart(to: &bytes)
    for line in lines {
      bytes.append(contentsOf: line.utf8)
      // What the old line had more is cleared after the new one is drawn, which flickers less than before it.
      bytes.append(contentsOf: "\u{1b}[K\n".utf8)
    }
    bytes.append(contentsOf: "\u{1b}[J\u{1b}[?7h".utf8)
    drawnLines = lines.count
  }

  private func appendStart(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\r"))
    if drawnLines > 0 { bytes.append(contentsOf: "\u{1b}[\(drawnLines)A".utf8) }
  }
}
