// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import TerminalOutput

extension Session {
  /// Shows progress on stderr while `body` runs, only on a terminal and after 100 ms; only the outermost of nested calls
  /// does.
  ///
  /// A terminal that cannot redraw a line gets a single permanent one.
  func showingProgress<Result: Sendable>(
    _ text: String, _ body: () async throws -> Result
  ) async throws -> Result {
    try await showingProgress({ text }, body)
  }

  /// The same with a changing text, which is requested for each frame.
  func showingProgress<Result: Sendable>(
    _ text: @escaping @Sendable () -> String, _ body: () async throws -> Result
  ) async throws -> Result {
    guard console.errors.isTerminal, !options.quiet, options.verbose < 2, beginProgress() else {
      return try await body()
    }
    defer { endProgress() }
    let ticker = Task(executorPreference: loop) { await self.tick(text) }
    do {
      let result = try await body()
      await Session.end(ticker)
      return result
    } catch {
      await Session.end(ticker)
      throw error
    }
  }

  private static func end(_ ticker: Task<Void, Never>) async {
    ticker.cancel()
    await ticker.value
  }

  private func tick(_ text: @Sendable () -> String) async {
    let term = Console.environment("TERM")
    if term == "dumb" {
      do { try await loop.sleep(for: .milliseconds(100)) } catch { return }
      return console.note(TerminalSafe.escaped(text()))
    }
    let spinner = ProgressLine.Spinner(term: term)
    var line = ProgressLine(text: text(), spinner: spinner, style: console.errors.style)
    let start = ContinuousClock.now
    for index in 0... {
      do { try await loop.sleep(for: .milliseconds(100)) } catch { break }
      // A full-screen view has no room for it, and a question has the line.
      if console.holdsNotes || isPrompting.withLock({ $0 }) { continue }
      line.text = text()
      let columns = console.errors.size?.columns ?? 80
      console.draw(progress: line.frame(index, elapsed: .now - start, columns: columns))
    }
    if !console.holdsNotes { console.clearProgress() }
  }
}
