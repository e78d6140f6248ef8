// SPDX-License-Identifier: MIT
import AsyncIO
import BlectlSession
import TerminalOutput
import TestSupport
import Testing

@Suite("Dialogue on the terminal", .timeLimit(.minutes(1)))
struct TerminalUITests {
  @Test("The progress of a command is not drawn over a question of a script's line")
  func question() async throws {
    let captured = CapturedConsole()
    let (loop, console) = (EventLoop.shared, captured.console(isTerminal: true))
    let context = CommandContext(options: GlobalOptions(), loop: loop, console: console)
    let line = context.line(GlobalOptions(), over: nil, console: console)
    try await context.showingProgress("waiting") {
      line.terminal.beginPrompt(on: console)
      let before = captured.errors
      // The timers of a loop fire in order: frames would have been drawn by then.
      try await loop.sleep(for: .milliseconds(350))
      #expect(captured.errors == before)
      line.terminal.endPrompt()
      while captured.errors == before { try await loop.sleep(for: .milliseconds(10)) }
    }
  }

  @Test("Only the outermost of nested commands shows progress")
  func nested() async throws {
    let captured = CapturedConsole()
    let (loop, console) = (EventLoop.shared, captured.console(isTerminal: true))
    let context = CommandContext(options: GlobalOptions(), loop: loop, console: console)
    let line = context.line(GlobalOptions(), over: nil, console: console)
    try await context.showingProgress("outer") {
      try await line.showingProgress("inner") {
        while captured.errors.isEmpty { try await loop.sleep(for: .milliseconds(10)) }
      }
    }
    #expect(!captured.errors.contains { $0.contains("inner") })
  }

  @Test("A change of the terminal's size reaches each action, until it has nothing to draw any more")
  func resizing() {
    let terminal = TerminalUI(on: EventLoop.shared)
    let calls = Lock<[String]>([])
    terminal.onResize {
      calls.withLock { $0.append("shell") }
      return true
    }
    terminal.onResize {
      calls.withLock { $0.append("chart") }
      return false
    }
    terminal.resized()
    terminal.resized()
    #expect(calls.withLock { $0 } == ["shell", "chart", "shell"])
  }
}
