// SPDX-License-Identifier: MIT
package import AsyncIO
package import TerminalOutput

/// The dialogue on the terminal: the progress line, questions, changes of its size, and Ctrl-C.
///
/// Commands of a script share one per process: progress must not overwrite the question of another one.
package final class TerminalUI: Sendable {
  private let loop: EventLoop
  private let pause: @Sendable () async throws(CancellationError) -> Void
  private let showsProgress = Lock(false)
  private let isPrompting = Lock(false)
  private let onResize = Lock<[@Sendable () -> Bool]>([])
  private let onInterrupt = Lock<(@Sendable () -> Bool)?>(nil)

  /// Draws on a loop; `pause` waits for the next frame of the progress, 100 ms by default.
  package init(on loop: EventLoop, pause: (@Sendable () async throws(CancellationError) -> Void)? = nil) {
    self.loop = loop
    self.pause =
      pause ?? { () async throws(CancellationError) in try await loop.sleep(for: .milliseconds(100)) }
  }

  // MARK: Size and Ctrl-C

  /// Adds an action that redraws for a new terminal size; it returns false when it can be removed.
  package func onResize(_ action: @escaping @Sendable () -> Bool) { onResize.withLock { $0.append(action) } }

  package func resized() {
    let actions = onResize.exchange([])
    let remaining = actions.filter { $0() }
    onResize.withLock { $0.insert(contentsOf: remaining, at: 0) }
  }

  /// Sets an action for Ctrl-C that returns whether the process goes on; nil ends it.
  package func onInterrupt(_ action: (@Sendable () -> Bool)?) { onInterrupt.exchange(action) }

  package func interrupted() -> Bool { onInterrupt.withLock { $0 }?() ?? false }

  // MARK: Questions

  /// Gives the terminal to a question: progress and live views pause.
  package func beginPrompt(on console: Console) {
    isPrompting.withLock { $0 = true }
    TerminalRestorer.beginQuestion()
    console.clearProgress()
  }

  package func endPrompt() {
    isPrompting.withLock { $0 = false }
    TerminalRestorer.endQuestion()
    resized()
  }

  // MARK: Progress

  /// Shows progress on stderr while `body` runs, only on a terminal, after 100 ms, without nesting; `text` is
  /// requested for each frame, and a terminal that cannot redraw a line gets a permanent one.
  ///
  /// The time that has passed stands behind the text, unless that is not to be timed.
  package func showingProgress<Result: Sendable>(
    on console: Console, isTimed: Bool = true, _ text: @escaping @Sendable () -> String,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard console.errors.isTerminal, !showsProgress.exchange(true) else { return try await body() }
    defer { showsProgress.exchange(false) }
    let ticker = Task(executorPreference: loop) { await self.tick(console, isTimed, text) }
    do {
      let result = try await body()
      await TerminalUI.end(ticker)
      return result
    } catch {
      await TerminalUI.end(ticker)
      throw error
    }
  }

  private static func end(_ ticker: Task<Void, Never>) async {
    ticker.cancel()
    await ticker.value
  }

  private func tick(_ console: Console, _ isTimed: Bool, _ text: @Sendable () -> String) async {
    let term = Console.environment("TERM")
    if term == "dumb" {
      repeat {
        do { try await pause() } catch { return }
      } while isPrompting.withLock { $0 }
      return console.note(TerminalSafe.escaped(text()))
    }
    let spinner = ProgressLine.Spinner(term: term)
    var line = ProgressLine(text: text(), spinner: spinner, style: console.errors.style)
    let start = LoopClock.now
    for index in 0... {
      do { try await pause() } catch { break }
      // A full-screen view has no line for it, and a question uses the line.
      if console.holdsNotes || isPrompting.withLock({ $0 }) { continue }
      line.text = text()
      let columns = console.errors.size?.columns ?? 80
      let elapsed = isTimed ? LoopClock.now - start : nil
      console.draw(progress: line.frame(index, elapsed: elapsed, columns: columns))
    }
    if !console.holdsNotes { console.clearProgress() }
  }
}
