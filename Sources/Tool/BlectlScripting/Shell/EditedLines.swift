// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlSession
internal import CPlatform
internal import Glibc
internal import TerminalOutput

/// Reads lines with libedit: keys, history and completion.
///
/// libedit has one editor per process, so there is one instance.
final class EditedLines: LineSource {
  /// The instance that libedit calls, on the loop.
  private static let instance = Lock<Confined<EditedLines>?>(nil)
  private static var current: EditedLines? { instance.withLock(\.self)?.value }

  let isInteractive = true
  private let loop: EventLoop
  private let console: Console
  private let history: HistoryFile
  /// The lines of this shell, which the file gets at its end.
  private var newLines: [String] = []
  /// The candidates of Tab for a line whose last word starts at an offset in bytes.
  var completions: (_ line: String, _ start: Int) -> [String] = { _, _ in [] }
  private var prompt = ""
  private var promise: Promise<TypedLine>?
  /// Freed at the next completion.
  private var candidates: [UnsafeMutablePointer<CChar>] = []

  /// - Returns: nil without a terminal that can draw, or without libedit.
  init?(on loop: EventLoop, _ console: Console) {
    let term = Console.environment("TERM") ?? ""
    guard isatty(STDIN_FILENO) == 1, console.output.isTerminal, term != "", term != "dumb",
      cline_load() == nil
    else { return nil }
    self.loop = loop
    self.console = console
    TerminalRestorer.keepMode()
    history = HistoryFile(environment: Console.environment)
    EditedLines.instance.exchange(loop.confine(self))
    cline_set_completion(
      { line, start in EditedLines.current?.complete(line.map { String(cString: $0) } ?? "", Int(start)) },
      { index in EditedLines.current?.candidate(Int(index)) })
    history.prepare { _ = cline_read_history($0) }
  }

  private func complete(_ line: String, _ start: Int) {
    for candidate in candidates { free(candidate) }
    candidates = completions(line, start).compactMap { strdup($0) }
  }

  private func candidate(_ index: Int) -> UnsafePointer<CChar>? {
    candidates.indices.contains(index) ? UnsafePointer(candidates[index]) : nil
  }

  func line(prompt: String) async -> TypedLine {
    self.prompt = prompt
    let promise = Promise<TypedLine>()
    self.promise = promise
    cline_begin(prompt) { line in
      EditedLines.current?.promise?.fulfil(line.map { .text(String(cString: $0)) } ?? .end)
    }
    let line = await promise.value(on: loop, ifCancelled: .end) { cline_read() }
    self.promise = nil
    cline_end()
    // Text typed while a command runs belongs to the next line, which shows it.
    TerminalRestorer.hideTyping()
    switch line {
    case .text(let text) where !text.allSatisfy(\.isWhitespace):
      cline_add_history(text)
      newLines.append(text)
    case .text: break
    case .interrupted, .end: console.draw([UInt8(ascii: "\n")])
    }
    return line
  }

  func interrupt() { promise?.fulfil(.interrupted) }

  func setPrompt(_ prompt: String) {
    guard promise != nil, prompt != self.prompt else { return }
    console.draw(erasing)
    self.prompt = prompt
    cline_set_prompt(prompt)
    cline_draw()
  }

  func resized() {
    guard promise != nil else { return }
    // The terminal may have wrapped the line differently.
    console.draw(erasing)
    cline_resize()
    cline_draw()
  }

  func show(_ bytes: [UInt8]) {
    guard promise != nil else { return console.draw(bytes) }
    console.draw(erasing + bytes)
    cline_draw()
  }

  /// Removes the prompt and the line, and leaves the cursor at their start.
  private var erasing: [UInt8] {
    let typed = String(
      decoding: Array(String(cString: cline_line()).utf8.prefix(Int(cline_point()))), as: UTF8.self)
    let columns = max(1, console.output.size?.columns ?? 80)
    let row = (DisplayWidth.of(prompt) + DisplayWidth.of(typed)) / columns
    return Array("\r\(row > 0 ? "\u{1b}[\(row)A" : "")\u{1b}[J".utf8)
  }

  func close() {
    TerminalRestorer.releaseMode()
    // Another shell may have added lines since.
    history.save { path in
      cline_clear_history()
      _ = cline_read_history(path)
      for line in newLines { cline_add_history(line) }
      _ = cline_write_history(path)
    }
  }
}
