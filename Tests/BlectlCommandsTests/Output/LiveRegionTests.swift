// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BlectlCommands

@Suite("LiveRegion")
struct LiveRegionTests {
  private let size = TerminalSize(columns: 20, rows: 5)

  @Test("the first drawing hides the cursor; the next one goes up and draws over it")
  func redraw() {
    var region = LiveRegion()
    #expect(
      text(region.redraw(["a", "b"], size: size))
        == "\u{1b}[?25l\u{1b}[?7l\ra\u{1b}[K\nb\u{1b}[K\n\u{1b}[J\u{1b}[?7h")
    #expect(
      text(region.redraw(["c"], size: size)) == "\u{1b}[?7l\r\u{1b}[2Ac\u{1b}[K\n\u{1b}[J\u{1b}[?7h")
    #expect(text(region.finish()) == LiveRegion.restore)
    #expect(region.drawnLines == 0)
  }

  @Test("a region that was never drawn is neither cleared nor finished")
  func untouched() {
    var region = LiveRegion()
    #expect(region.clear().isEmpty)
    #expect(region.finish().isEmpty)
  }

  @Test("a terminal shows the last drawing, and only that, whatever came before")
  func picture() {
    var region = LiveRegion()
    var screen = Screen(rows: size.rows)
    screen.feed(Array("$ blectl scan\n".utf8))
    var random = SeededGenerator(seed: 14)
    for _ in 0..<200 {
      let lines = (0..<Int.random(in: 0...9, using: &random)).map { "line \($0) \(random.next() % 1000)" }
      screen.feed(region.redraw(lines, size: size))
      let visible = lines.prefix(size.rows - 1)
      #expect(screen.lines.suffix(visible.count + 1).dropLast() == visible)
      #expect(!screen.isCursorVisible)
    }
    screen.feed(region.clear())
    #expect(screen.isCursorVisible)
    #expect(screen.lines.allSatisfy { !$0.hasPrefix("line") })
  }

  @Test("the region never scrolls more than its own height")
  func scrolling() {
    var region = LiveRegion()
    var screen = Screen(rows: size.rows)
    for _ in 0..<50 {
      screen.feed(region.redraw((0..<30).map { "line \($0)" }, size: size))
    }
    #expect(screen.scrolled == 0)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// As much of a terminal as the region uses.
private struct Screen {
  let rows: Int
  var lines = [""]
  var row = 0
  var column = 0
  var scrolled = 0
  var isCursorVisible = true

  init(rows: Int) {
    self.rows = rows
  }

  mutating func feed(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x0a: newline()
      case 0x0d: column = 0
      case 0x1b:
        let sequence = rest.prefix {
          !("A"..."Z").contains(Character(Unicode.Scalar($0))) && $0 != 0x6c && $0 != 0x68
        }
        rest = rest.dropFirst(sequence.count)
        control(String(decoding: sequence.dropFirst(), as: UTF8.self), rest.popFirst() ?? 0)
      default:
        lines[row] =
          String(lines[row].prefix(column)) + String(decoding: [byte], as: UTF8.self)
          + String(lines[row].dropFirst(column + 1))
        column += 1
      }
    }
  }

  private mutating func newline() {
    column = 0
    row += 1
    if row == lines.count { lines.append("") }
    if lines.count > rows {
      lines.removeFirst()
      row -= 1
      scrolled += 1
    }
  }

  private mutating func control(_ parameters: String, _ final: UInt8) {
    switch (parameters, final) {
    case ("?25", UInt8(ascii: "l")): isCursorVisible = false
    case ("?25", UInt8(ascii: "h")): isCursorVisible = true
    case (_, UInt8(ascii: "A")): row = max(0, row - (Int(parameters) ?? 1))
    case (_, UInt8(ascii: "K")): lines[row] = String(lines[row].prefix(column))
    case (_, UInt8(ascii: "J")):
      lines[row] = String(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    default: break
    }
  }
}
