// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlSession
internal import CLineEditor
internal import Glibc
internal import TerminalOutput

/// What a person has typed at a prompt.
enum TypedLine: Sendable, Equatable {
  case text(String)
  /// Ctrl-C: the line was dropped.
  case interrupted
  /// Ctrl-D, or the end of a file.
  case end
}

/// Where the shell gets its lines from.
///
/// Only tasks on the loop use it.
protocol LineSource: AnyObject, Sendable {
  /// Whether a person types the lines.
  var isInteractive: Bool { get }
  /// Shows a prompt and waits for a line.
  ///
  /// Ends with `.end` when the task is cancelled.
  func line(prompt: String) async -> TypedLine
  /// Drops the line that is being typed.
  func interrupt()
  /// Changes the prompt that is shown.
  func setPrompt(_ prompt: String)
  /// The terminal has another size.
  func resized()
  /// Prints bytes that end a line, without tearing the line that is being typed.
  func show(_ bytes: [UInt8])
  /// Saves what should outlive the process.
  func close()
}

/// Reads lines from standard input, without editing.
final class PlainLines: LineSource, @unchecked Sendable {
  /// A longer line ends the input: it is no text.
  private static let longest = 1 << 16

  private let loop: EventLoop
  private let console: Console
  private let hasPrompt: Bool
  let isInteractive = isatty(STDIN_FILENO) == 1
  private var waiting: [UInt8] = []
  private var isOver = false
  private var promise: Promise<TypedLine>?

  init(on loop: EventLoop, _ console: Console) {
    self.loop = loop
    self.console = console
    hasPrompt = isInteractive && console.errors.isTerminal
  }

  func line(prompt: String) async -> TypedLine {
    if hasPrompt { console.draw(Array(prompt.utf8)) }
    if let line = take() { return line }
    let promise = Promise<TypedLine>()
    self.promise = promise
    let line = await promise.value(on: loop, ifCancelled: .end) { self.read() }
    self.promise = nil
    return line
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    if count <= 0 || waiting.count > Self.longest { isOver = true } else { waiting += buffer[..<count] }
    if let line = take() { promise?.fulfil(line) }
  }

  /// The next line that has arrived.
  private func take() -> TypedLine? {
    if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
      defer { waiting.removeFirst(end + 1) }
      return .text(PlainLines.text(waiting[..<end]))
    }
    guard isOver else { return nil }
    defer { waiting = [] }
    return waiting.isEmpty ? .end : .text(PlainLines.text(waiting[...]))
  }

  /// A line without the carriage return that ends it in files of other systems.
  private static func text(_ line: ArraySlice<UInt8>) -> String {
    String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
  }

  func interrupt() {
    // The terminal has dropped the line.
    if hasPrompt { console.draw([UInt8(ascii: "\n")]) }
    promise?.fulfil(.interrupted)
  }

  func setPrompt(_ prompt: String) {}
  func resized() {}
  func show(_ bytes: [UInt8]) { console.draw(bytes) }
  func close() {}
}

/// Reads lines with libedit: keys, history and completion.
///
/// libedit has one editor per process, so there is one of these. Only tasks on the loop use it.
final class EditedLines: LineSource, @unchecked Sendable {
  nonisolated(unsafe) private static var current: EditedLines?

  let isInteractive = true
  private let loop: EventLoop
  private let console: Console
  private let history: HistoryFile
  /// What Tab offers for a line whose last word starts at an offset in bytes.
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
    EditedLines.current = self
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
    // What is typed while a command runs is for the next line, which shows it.
    TerminalRestorer.hideTyping()
    switch line {
    case .text(let text) where !text.allSatisfy(\.isWhitespace): cline_add_history(text)
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
    // The terminal may have wrapped the line anew.
    console.draw(erasing)
    cline_resize()
    cline_draw()
  }

  func show(_ bytes: [UInt8]) {
    guard promise != nil else { return console.draw(bytes) }
    console.draw(erasing + bytes)
    cline_draw()
  }

  /// What removes the prompt and the line, and leaves the cursor where they began.
  private var erasing: [UInt8] {
    let typed = String(
      decoding: Array(String(cString: cline_line()).utf8.prefix(Int(cline_point()))), as: UTF8.self)
    let columns = max(1, console.output.size?.columns ?? 80)
    let row = (DisplayWidth.of(prompt) + DisplayWidth.of(typed)) / columns
    return Array("\r\(row > 0 ? "\u{1b}[\(row)A" : "")\u{1b}[J".utf8)
  }

  func close() {
    TerminalRestorer.releaseMode()
    history.save { _ = cline_write_history($0) }
  }
}

/// The file of the history, in the state directory of the user.
struct HistoryFile {
  /// Nil without a home.
  let path: String?

  init(environment: (String) -> String?) {
    let state = environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment("HOME").flatMap { $0.isEmpty ? nil : $0 }
    path = (state ?? home.map { "\($0)/.local/state" }).map { "\($0)/blectl/history" }
  }

  /// Makes the file, readable by its owner only, and hands it on to be read.
  func prepare(_ read: (String) -> Void) {
    guard let path else { return }
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o700)
    }
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    Glibc.close(descriptor)
    read(path)
  }

  func save(_ write: (String) -> Void) {
    guard let path, access(path, W_OK) == 0 else { return }
    let mask = umask(0o077)
    write(path)
    umask(mask)
  }
}
