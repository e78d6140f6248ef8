// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import TerminalOutput

@Suite("Console")
struct ConsoleTests {
  @Test("Lines written together are one write, and lines written apart are not kept back")
  func lines() throws {
    let captured = CapturedConsole()
    let console = captured.console()
    try console.write(line: "a")
    try console.write(lines: ["b", "", "c"])
    try console.write(lines: [])
    try console.write(bytes: Array("{}\n".utf8))
    console.note("n")
    #expect(captured.output == ["a\n", "b\n\nc\n", "{}\n"])
    #expect(captured.errors == ["n\n"])
  }

  @Test("Output on a terminal takes the place of a progress line, once")
  func progress() throws {
    let captured = CapturedConsole()
    let console = captured.console(isTerminal: true)
    console.draw(progress: "|")
    try console.write(line: "a")
    try console.write(line: "b")
    console.draw(progress: "/")
    console.note("n")
    console.draw(progress: "-")
    console.clearProgress()
    console.clearProgress()
    let clear = ProgressLine.clear
    #expect(captured.output == ["\(clear)a\n", "b\n"])
    #expect(captured.errors == ["|", "/", "\(clear)n\n", "-", clear])
  }

  @Test("A note is broken between words on a terminal, behind its own indent, and stays one line elsewhere")
  func wrapping() {
    let note = "  hint: " + Array(repeating: "blectl scan", count: 8).joined(separator: " ")
    for isTerminal in [true, false] {
      let captured = CapturedConsole()
      captured.console(isTerminal: isTerminal).note(note)
      let lines = captured.errors.joined().split(separator: "\n").map(String.init)
      #expect(lines.joined(separator: " ").filter { $0 != " " } == note.filter { $0 != " " })
      #expect(lines.allSatisfy { $0.count <= 80 } == isTerminal)
      #expect(lines.count == (isTerminal ? 2 : 1))
      #expect(!isTerminal || lines[1].hasPrefix("    blectl") || lines[1].hasPrefix("    scan"))
    }
  }

  @Test("A progress line is not drawn behind output that is being written")
  func progressBesideOutput() throws {
    let captured = CapturedConsole()
    let inner = captured.console(isTerminal: true)
    let drawing = Mutex<Console?>(nil)
    let console = Console(
      output: ConsoleStream(isTerminal: true) { _ in drawing.withLock { $0 }?.draw(progress: "|") },
      errors: inner.errors)
    drawing.withLock { $0 = console }
    defer { drawing.withLock { $0 = nil } }
    try console.write(line: "a")
    #expect(captured.errors.isEmpty)
    console.draw(progress: "|")
    #expect(captured.errors == ["|"])
  }

  @Test("After the reader has gone, every write fails, and the system is not called again")
  func closed() {
    let calls = Atomic<Int>(0)
    let stream = ConsoleStream(isTerminal: false) { _ throws(ConsoleError) in
      calls.add(1, ordering: .relaxed)
      throw .closed
    }
    let console = Console(output: stream, errors: stream)
    #expect(!stream.hasEnded)
    #expect(throws: ConsoleError.closed) { try console.write(line: "a") }
    #expect(throws: ConsoleError.closed) { try console.write(line: "b") }
    console.note("not written")
    #expect(stream.hasEnded)
    #expect(calls.load(ordering: .relaxed) == 1)
  }

  @Test("Only a terminal has a size")
  func size() {
    let size = TerminalSize(columns: 132, rows: 43)
    #expect(ConsoleStream(isTerminal: true, size: { size }, sink: { _ in }).size == size)
    #expect(ConsoleStream(isTerminal: false, size: { size }, sink: { _ in }).size == nil)
  }

  @Test(
    "Without a terminal, the size is that of COLUMNS and LINES, or the standard one",
    arguments: [
      (["COLUMNS": "100", "LINES": "30"], TerminalSize(columns: 100, rows: 30)),
      (["COLUMNS": "0", "LINES": "x"], .standard), (["COLUMNS": "-5"], .standard), ([:], .standard),
    ])
  func environment(variables: [String: String], size: TerminalSize) {
    #expect(TerminalSize(descriptor: -1) { variables[$0] } == size)
  }

  @Test("The size of a terminal is read from the terminal")
  func terminal() throws {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    defer { close(terminal) }
    var window = winsize(ws_row: 43, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(terminal, UInt(TIOCSWINSZ), &window) == 0)
    #expect(TerminalSize(descriptor: terminal) { _ in nil } == TerminalSize(columns: 132, rows: 43))
    #expect(
      TerminalSize(descriptor: terminal) { $0 == "COLUMNS" ? "60" : nil }
        == TerminalSize(columns: 60, rows: 43))
  }

  @Test("The console of this process is made of its own two outputs")
  func process() {
    let console = Console(color: .never, waitLimit: { nil })
    #expect(console.output.isTerminal == (isatty(STDOUT_FILENO) == 1))
    #expect(!console.output.style.isEnabled && !console.errors.style.isEnabled)
    #expect((console.output.size == nil) == !console.output.isTerminal)
    #expect(Console.environment("BLECTL_IS_NOT_SET") == nil)
  }

  @Test(
    "Colour follows --color, NO_COLOR, CLICOLOR_FORCE, TERM and the terminal, in that order",
    arguments: [
      (ColorMode.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
      (.never, true, ["CLICOLOR_FORCE": "1"], false),
      (.auto, true, [:], true), (.auto, false, [:], false),
      (.auto, true, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
      (.auto, false, ["CLICOLOR_FORCE": "1", "TERM": "dumb"], true),
      (.auto, false, ["CLICOLOR_FORCE": "0"], false), (.auto, false, ["CLICOLOR_FORCE": ""], false),
      (.auto, true, ["TERM": "dumb"], false),
    ])
  func colour(mode: ColorMode, isTerminal: Bool, variables: [String: String], isColored: Bool) {
    #expect(mode.isColored(isTerminal: isTerminal) { variables[$0] } == isColored)
  }

  @Test("A style that is off changes nothing, and one that is on ends what it began")
  func style() {
    #expect(Style.plain.apply(.red, .bold, to: "x") == "x")
    let style = Style(isEnabled: true)
    #expect(style.apply(.red, .bold, to: "x") == "\u{1b}[31;1mx\u{1b}[0m")
    #expect(style.apply(.red, to: "") == "")
    #expect(style.apply(to: "x") == "x")
  }
}

@Suite("ProgressLine")
struct ProgressLineTests {
  @Test("A frame is the spinner, the text and, from one second on, the time")
  func frames() {
    let line = ProgressLine(text: "connecting", spinner: .ascii)
    #expect(line.frame(0, elapsed: .milliseconds(100), columns: 80) == "\r| connecting\u{1b}[K")
    #expect(line.frame(5, elapsed: .milliseconds(2900), columns: 80) == "\r/ connecting 2s\u{1b}[K")
  }

  @Test("A frame never wraps and never carries a hostile name to the terminal")
  func safe() {
    let line = ProgressLine(text: "looking for Evil\u{1b}[2J\n", spinner: .dots)
    #expect(line.frame(0, elapsed: .zero, columns: 80) == "\r⠋ looking for Evil\\u{1b}[2J\\n\u{1b}[K")
    #expect(line.frame(0, elapsed: .seconds(10), columns: 20) == "\r⠋ looking for … 10s\u{1b}[K")
  }

  @Test("--color controls colour")
  func coloured() {
    let line = ProgressLine(text: "x", spinner: .ascii, style: Style(isEnabled: true))
    #expect(
      line.frame(0, elapsed: .seconds(1), columns: 80)
        == "\r\u{1b}[36m|\u{1b}[0m x\u{1b}[2m 1s\u{1b}[0m\u{1b}[K")
  }

  @Test(
    "The console of Linux has no dots to draw",
    arguments: [
      ("xterm-256color" as String?, ProgressLine.Spinner.dots), ("linux", .ascii), ("dumb", .ascii),
      (nil, .ascii),
    ])
  func spinners(term: String?, spinner: ProgressLine.Spinner) {
    #expect(ProgressLine.Spinner(term: term) == spinner)
  }
}
