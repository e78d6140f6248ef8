// SPDX-License-Identifier: MIT
import AsyncIO
import BlectlSession
import TerminalOutput
import TestSupport
import Testing

@Suite("Dialogue on the terminal", .timeLimit(.minutes(1)))
struct TerminalUITests {
  private let captured = CapturedConsole()
  private let frames = FrameClock()
  private let terminal: TerminalUI
  private let console: Console

  init() {
    terminal = TerminalUI(on: .shared, pause: frames.pause)
    console = captured.console(isTerminal: true)
  }

  @Test("Progress is not drawn over a question")
  func question() async throws {
    try await terminal.showingProgress(on: console, { "waiting" }) {
      await frames.isDue()
      terminal.beginPrompt(on: console)
      for _ in 0..<3 { await frames.draw() }
      #expect(captured.errors.isEmpty)
      terminal.endPrompt()
      await frames.draw()
      #expect(captured.errors.last?.contains("waiting") == true)
    }
  }

  @Test("A line of a script shares the terminal of its command")
  func sharing() {
    let context = CommandContext(options: GlobalOptions(), loop: .shared, console: console)
    #expect(context.line(GlobalOptions(), over: nil, console: console).terminal === context.terminal)
  }

  @Test("Only the outermost of nested commands shows progress")
  func nested() async throws {
    try await terminal.showingProgress(on: console, { "outer" }) {
      try await terminal.showingProgress(on: console, { "inner" }) {
        await frames.isDue()
        await frames.draw()
      }
    }
    #expect(captured.errors.contains { $0.contains("outer") })
    #expect(!captured.errors.contains { $0.contains("inner") })
  }

  @Test("A change of the terminal's size reaches each action, until it has nothing to draw any more")
  func resizing() {
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

/// The time between the frames of a progress line, which passes when the test says so.
private final class FrameClock: Sendable {
  private let due = BatchChannel<Void>()
  private let passed = BatchChannel<Void>()

  @Sendable func pause() async throws(CancellationError) {
    due.send(())
    if await passed.next() == nil { throw CancellationError() }
  }

  /// Waits until a frame is due.
  func isDue() async { _ = await due.next() }

  /// Lets the frame that is due be drawn, and waits until the next one is.
  func draw() async {
    passed.send(())
    await isDue()
  }
}
