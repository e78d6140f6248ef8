// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlSession
internal import Glibc
internal import TerminalOutput

/// Reads lines from standard input, without editing.
final class PlainLines: LineSource {
  /// A longer line ends the input: it is not text.
  private static let longest = 1 << 16

  let isInteractive = isatty(STDIN_FILENO) == 1
  private let input: PromptInput
  private let loop: EventLoop
  private let console: Console
  private let hasPrompt: Bool
  private var isOver = false
  private var reading: Task<String?, Never>?

  init(on loop: EventLoop, _ console: Console) {
    (self.loop, self.console) = (loop, console)
    input = PromptInput(on: loop, longestLine: Self.longest)
    hasPrompt = isInteractive && console.errors.isTerminal
  }

  func line(prompt: String) async -> TypedLine {
    if hasPrompt { console.draw(Array(prompt.utf8)) }
    if isOver { return .end }
    let reading = Task(executorPreference: loop) { [input] in await input.line() }
    self.reading = reading
    let line = await reading.attachedResult.get()
    self.reading = nil
    guard let line else { return reading.isCancelled && !Task.isCancelled ? .interrupted : .end }
    isOver = line.utf8.count >= Self.longest
    return .text(line)
  }

  func interrupt() {
    // The terminal dropped the line.
    if hasPrompt { console.draw([UInt8(ascii: "\n")]) }
    reading?.cancel()
  }

  func setPrompt(_ prompt: String) {}
  func resized() {}
  func show(_ bytes: [UInt8]) { console.draw(bytes) }
  func close() {}
}
