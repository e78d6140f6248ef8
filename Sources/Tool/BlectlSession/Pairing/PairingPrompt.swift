// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import TerminalOutput

/// A question on the terminal, with the time left for its answer.
///
/// The line with the time is redrawn each second above the line of the answer, whose text stays.
struct PairingPrompt: Sendable {
  /// The question; names from the air were made safe.
  let text: String
  /// Precedes the answer.
  let prompt: String
  let context: CommandContext

  /// Shows the question while `body` waits for its answer.
  func show<Answer: Sendable>(_ body: () async -> Answer) async -> Answer {
    let end = LoopClock.now + CentralManager.pairingAnswerTime
    context.terminal.beginPrompt(on: context.console)
    defer { context.terminal.endPrompt() }
    context.console.draw(Array("\(fitting(text))\n\(timeLine(until: end))\n\(prompt)".utf8))
    let ticker = Task(executorPreference: context.loop) { await tick(until: end) }
    let answer = await body()
    ticker.cancel()
    await ticker.value
    return answer
  }

  /// Explains an invalid answer, and prints the prompt again.
  func again(_ reason: String) { context.console.draw(Array("\(fitting(reason))\n\(prompt)".utf8)) }

  /// Ends the last line if no answer did.
  func void() { context.console.draw(Array("\n".utf8)) }

  private func tick(until end: ContinuousClock.Instant) async {
    if Console.environment("TERM") == "dumb" { return }
    while LoopClock.now < end {
      do { try await context.loop.sleep(for: .seconds(1)) } catch { return }
      context.console.draw(Array("\u{1b}7\u{1b}[1A\r\(timeLine(until: end))\u{1b}[K\u{1b}8".utf8))
    }
  }

  private func timeLine(until end: ContinuousClock.Instant) -> String {
    let left = max(end - LoopClock.now, .zero)
    let seconds = Int((left / .seconds(1)).rounded(.up))
    return context.console.errors.style.apply(.dim, to: "\(seconds) s left; Ctrl-C cancels")
  }

  private func fitting(_ line: String) -> String {
    DisplayWidth.truncated(line, to: (context.console.errors.size?.columns ?? 80) - 1)
  }
}
