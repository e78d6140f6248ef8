// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("ProgressLine")
struct ProgressLineTests {
  @Test("a frame is the spinner, the text and, from one second on, the time")
  func frames() {
    let line = ProgressLine(text: "connecting", spinner: .ascii)
    #expect(line.frame(0, elapsed: .milliseconds(100), columns: 80) == "\r| connecting\u{1b}[K")
    #expect(line.frame(5, elapsed: .milliseconds(2900), columns: 80) == "\r/ connecting 2s\u{1b}[K")
  }

  @Test("a frame never wraps and never carries a hostile name to the terminal")
  func safe() {
    let line = ProgressLine(text: "looking for Evil\u{1b}[2J\n", spinner: .dots)
    #expect(line.frame(0, elapsed: .zero, columns: 80) == "\r⠋ looking for Evil\\u{1b}[2J\\n\u{1b}[K")
    #expect(line.frame(0, elapsed: .seconds(10), columns: 20) == "\r⠋ looking for … 10s\u{1b}[K")
  }

  @Test("colour is used where it is wanted")
  func coloured() {
    let line = ProgressLine(text: "x", spinner: .ascii, style: Style(isEnabled: true))
    #expect(
      line.frame(0, elapsed: .seconds(1), columns: 80)
        == "\r\u{1b}[36m|\u{1b}[0m x\u{1b}[2m 1s\u{1b}[0m\u{1b}[K")
  }

  @Test(
    "the console of Linux has no dots to draw",
    arguments: [
      ("xterm-256color" as String?, ProgressLine.Spinner.dots), ("linux", .ascii), ("dumb", .ascii),
      (nil, .ascii),
    ])
  func spinners(term: String?, spinner: ProgressLine.Spinner) {
    #expect(ProgressLine.Spinner(term: term) == spinner)
  }
}
