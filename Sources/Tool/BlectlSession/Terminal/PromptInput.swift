// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc

/// Reads lines of standard input, in one task at a time on the loop, which continues serving the bus.
package final class PromptInput: Sendable {
  private struct State {
    let longestLine: Int
    private(set) var bytes: [UInt8] = []
    var isOver = false
    /// The length of the incomplete last line.
    private var length = 0
    /// True if the next bytes end a line whose beginning was discarded.
    private var isDiscarding = false

    init(longestLine: Int) { self.longestLine = longestLine }

    mutating func append(_ read: ArraySlice<UInt8>) {
      for byte in read {
        let isEnd = byte == UInt8(ascii: "\n")
        length = isEnd ? 0 : length + 1
        if !isDiscarding, length <= longestLine { bytes.append(byte) }
        if isEnd { isDiscarding = false }
      }
    }

    mutating func removeFirst(_ count: Int) { bytes.removeFirst(count) }

    /// Drops everything, including the rest of an incomplete line.
    mutating func discard() {
      isDiscarding = length > 0
      bytes = []
    }
  }

  /// More than any answer or value needs, in bytes.
  package static let longestLine = 4096

  private let state: Lock<State>
  private let loop: EventLoop

  /// Drops the rest of a line that is longer than the longest.
  package init(on loop: EventLoop, longestLine: Int = longestLine) {
    (self.loop, state) = (loop, Lock(State(longestLine: longestLine)))
  }

  /// Drops input from before the question, which answers another one, or none.
  func discardEarlierInput() {
    _ = tcflush(STDIN_FILENO, TCIFLUSH)
    // The rest of a file; others cannot seek.
    _ = lseek(STDIN_FILENO, 0, SEEK_END)
    // Only what a pipe or socket holds now: a writer that never stops must not delay the question.
    var left: CInt = 0
    if ioctl(STDIN_FILENO, UInt(FIONREAD), &left) != 0 { left = 0 }
    while left > 0, isReadable {
      let count = readOnce(upTo: Int(left))
      guard count > 0 else { break }
      left -= CInt(count)
    }
    state.withLock { $0.discard() }
  }

  private var isReadable: Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 1
  }

  /// The next line, trimmed; nil at the end of the input, and if the task is cancelled.
  package func next() async -> String? {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    return await line().map { line in
      String(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
  }

  /// The next line, which may have ended with a carriage return; nil at the end of the input, and when the task is cancelled.
  package func line() async -> String? {
    while true {
      if let line = takeLine() { return line }
      if state.withLock({ $0.isOver }) || Task.isCancelled { return nil }
      guard await waitUntilReadable() else { return nil }
      readOnce()
    }
  }

  private func takeLine() -> String? {
    state.withLock { state in
      let end = state.bytes.firstIndex(of: UInt8(ascii: "\n"))
      guard let end = end ?? (state.isOver && !state.bytes.isEmpty ? state.bytes.endIndex : nil) else {
        return nil
      }
      let line = state.bytes[..<end]
      defer { state.removeFirst(min(end + 1, state.bytes.count)) }
      return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
  }

  private func waitUntilReadable() async -> Bool {
    let promise = Promise<Bool>()
    return await promise.value(on: loop, ifCancelled: false) { promise.fulfil(true) }
  }

  /// Returns the number of bytes read; 0 at the end of the input, negative if reading was interrupted.
  @discardableResult
  private func readOnce(upTo limit: Int = .max) -> Int {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = read(STDIN_FILENO, &buffer, min(limit, buffer.count))
    if count < 0, errno == EINTR || errno == EAGAIN { return count }
    state.withLock { state in
      if count <= 0 { state.isOver = true } else { state.append(buffer[..<count]) }
    }
    return max(count, 0)
  }
}
