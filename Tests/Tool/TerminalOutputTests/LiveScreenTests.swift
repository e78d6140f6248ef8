// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import TestSupport
import Testing
import ValueStreams

@testable import TerminalOutput

@Suite("LiveScreen")
struct LiveScreenTests {
  private let size = TerminalSize(columns: 20, rows: 5)

  @Test("The first drawing takes the alternate screen; the end gives it back, and the cursor")
  func sequences() {
    var live = LiveScreen()
    #expect(
      text(live.redraw(["a", "b"], size: size))
        == "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H\u{1b}[J"
        + "\u{1b}[H\u{1b}[Ka\r\n\u{1b}[Kb\r\n\u{1b}[J")
    #expect(text(live.redraw(["c"], size: size)) == "\u{1b}[H\u{1b}[Kc\r\n\u{1b}[J")
    #expect(text(live.close()) == LiveScreen.leaving)
    #expect(live.close().isEmpty)
  }

  @Test("A screen that was never drawn is not left")
  func untouched() {
    var live = LiveScreen()
    #expect(live.close().isEmpty)
  }

  @Test("A terminal shows the last drawing, and only that, at whatever size")
  func picture() {
    var live = LiveScreen()
    var random = SeededGenerator(seed: 14)
    var screen = Screen(rows: 5)
    for _ in 0..<200 {
      let rows = Int.random(in: 2...9, using: &random)
      // A terminal that becomes lower keeps the top of its alternate screen, or the end: either is drawn over.
      if rows < screen.rows { screen.lines = Array(screen.lines.prefix(rows)) }
      (screen.rows, screen.row) = (rows, min(screen.row, rows - 1))
      let lines = (0..<Int.random(in: 0...12, using: &random)).map { "line \($0) \(random.next() % 1000)" }
      screen.feed(live.redraw(lines, size: TerminalSize(columns: 20, rows: rows)))
      #expect(screen.lines.filter { !$0.isEmpty } == Array(lines.prefix(rows)))
      #expect(screen.scrolled == 0)
      #expect(!screen.isCursorVisible)
    }
    screen.feed(live.close())
    #expect(screen.isCursorVisible)
    #expect(screen.lines == [""])
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// As much of a terminal as a live screen uses.
private struct Screen {
  var rows: Int
  var lines = [""]
  var row = 0
  var column = 0
  var scrolled = 0
  var isCursorVisible = true

  init(rows: Int) { self.rows = rows }

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
    case (_, UInt8(ascii: "H")): (row, column) = (0, 0)
    case (_, UInt8(ascii: "K")): lines[row] = String(lines[row].prefix(column))
    case (_, UInt8(ascii: "J")):
      lines[row] = String(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    default: break
    }
  }
}

@Suite("LiveView")
struct LiveViewTests {
  @Test("Messages that come meanwhile are printed at the end, where nothing is drawn over them")
  func notes() throws {
    let captured = CapturedConsole()
    let console = captured.console(isTerminal: true)
    let view = LiveView(console)
    console.note("before")
    try view.draw { _ in ["picture"] }
    console.note("meanwhile")
    #expect(captured.errors == ["before\n"])
    #expect(console.newestHeldNote == "meanwhile")
    try view.close()
    #expect(captured.errors == ["before\n", "meanwhile\n"])
    #expect(captured.output.last == LiveScreen.leaving)
    #expect(console.newestHeldNote == nil)
    try view.close()
    #expect(captured.output.count == 2)
  }

  @Test("The terminal is given back behind the picture that is being written")
  func givingBack() async {
    let hasBegun = Lock(false)
    let order = Lock<[String]>([])
    let end = Promise<Void>()
    TerminalRestorer.draw {
      WorkerThread.start {
        hasBegun.withLock { $0 = true }
        TerminalRestorer.restore()
        order.withLock { $0.append("given back") }
        end.fulfil(())
      }
      while !hasBegun.withLock({ $0 }) { sched_yield() }
      for _ in 0..<1000 { sched_yield() }
      order.withLock { $0.append("drawn") }
    }
    await end.value
    let events = order.withLock { $0 }
    #expect(events == ["drawn", "given back"])
  }

  @Test("Notes are not kept where they go to a file")
  func elsewhere() throws {
    let captured = CapturedConsole()
    let console = captured.console()
    console.holdNotes()
    console.note("now")
    #expect(captured.errors == ["now\n"])
  }

  @Test("Notes are kept up to a limit, and the others counted")
  func bound() {
    var notes = HeldNotes()
    for index in 0..<150 { notes.add("note \(index)") }
    #expect(notes.all.count == HeldNotes.limit + 1)
    #expect(notes.all.first == "(50 earlier messages are left out)")
    #expect(notes.all.last == "note 149")
  }

  @Test("A live view needs a terminal that can move its cursor")
  func possible() {
    let captured = CapturedConsole()
    #expect(LiveView.isPossible(on: captured.console(isTerminal: true), term: "xterm"))
    #expect(!LiveView.isPossible(on: captured.console(isTerminal: true), term: "dumb"))
    #expect(!LiveView.isPossible(on: captured.console(), term: "xterm"))
  }
}
