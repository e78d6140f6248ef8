// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import TerminalOutput

/// Reads lines from standard input, without editing.
final class PlainLines: LineSource, @unchecked Sendable {
  /// A longer line ends the input: it is no text.
  private static let longest = 1 << 16

  private let loop: EventLoop
  private let console: Console
  private let hasPrompt: Bool
  private var waiting: [UInt8] = []
  private var isOver = false
  private var promise: Promise<TypedLine>?

  init(on loop: EventLoop, _ console: Console) {
    self.loop = loop
    self.console = console
    hasPrompt = isatty(STDIN_FILENO) == 1 && console.errors.isTerminal
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
      return .text(String(decoding: waiting[..<end], as: UTF8.self))
    }
    guard isOver else { return nil }
    defer { waiting = [] }
    return waiting.isEmpty ? .end : .text(String(decoding: waiting, as: UTF8.self))
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
