// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc
internal import TerminalOutput

/// A person at the terminal; what the peer sends is shown as it is, with its control sequences.
package final class ConsolePort: SerialPort {
  /// The interval at which a process in the background, or during a question, checks whether it has the
  /// terminal again.
  private static let restTime = Duration.milliseconds(250)

  private let keys: ConsoleKeys
  private let translatesOutput: Bool
  private let stream: ByteStream
  private let loop: EventLoop
  private let cursor: TerminalCursor
  private let isOver = Lock(false)

  package var usesTerminal: Bool { true }
  package var endsWithInput: Bool { true }

  /// `translatesOutput` leaves it to the terminal to return to the first column with each line; `cursor` is told what is
  /// shown.
  package init(
    _ keys: ConsoleKeys, translatesOutput: Bool, following cursor: TerminalCursor, on loop: EventLoop
  ) {
    (self.keys, self.cursor, self.loop) = (keys, cursor, loop)
    self.translatesOutput = translatesOutput
    stream = ByteStream(input: STDIN_FILENO, output: STDOUT_FILENO, on: loop)
  }

  /// True if both ends of the terminal are ours.
  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The key with which a person ends it.
  package var ending: String { keys.sendsLines ? "Ctrl-D" : keys.escape.description }

  package func begin() {
    if !keys.sendsLines { TerminalRestorer.passKeys(translatesOutput: translatesOutput) }
  }

  package func end() {
    if !keys.sendsLines { TerminalRestorer.endPassing() }
    stream.writeIfPossible(cursor.lineEnd())
  }

  package func read(_ most: Int) async throws -> [UInt8]? {
    while !isOver.withLock(\.self) {
      try await waitForForeground()
      guard await stream.waitUntilReadable() else { break }
      // A shell may have the terminal by now: reading would stop this process.
      guard TerminalRestorer.isInForeground else { continue }
      guard let typed = await stream.read(most) else { break }
      let (bytes, isLast) = keys.sent(for: typed)
      isOver.exchange(isLast)
      guard !bytes.isEmpty else { continue }
      if keys.sendsLines {
        cursor.passed(bytes[...])
      } else if keys.echoes {
        let shown = keys.shown(for: bytes)
        try await stream.write(shown)
        cursor.passed(shown[...])
      }
      return bytes
    }
    return nil
  }

  /// Waits until the terminal is neither another program's nor a question's, and has its mode.
  private func waitForForeground() async throws {
    while !TerminalRestorer.claim() || !TerminalRestorer.isInForeground {
      try await loop.sleep(for: Self.restTime)
    }
  }

  package func write(_ bytes: ArraySlice<UInt8>) async throws -> Int {
    let count = try await stream.writeSome(bytes)
    cursor.passed(bytes.prefix(count))
    return count
  }
}

/// The column of the terminal's cursor as far as the bytes sent there tell: at the beginning of a line, or not.
package final class TerminalCursor: Sendable {
  private let isAtStart = Lock(true)

  package init() {}

  /// The cursor of standard output; nil if that is not a terminal.
  package static var ofOutput: TerminalCursor? { isatty(STDOUT_FILENO) == 1 ? TerminalCursor() : nil }

  /// Records bytes that went to the terminal.
  package func passed(_ bytes: ArraySlice<UInt8>) {
    if let last = bytes.last { isAtStart.exchange(last == UInt8(ascii: "\n")) }
  }

  /// Returns the bytes that end a line that has begun; empty if there is none.
  package func lineEnd() -> [UInt8] { isAtStart.exchange(true) ? [] : [UInt8(ascii: "\n")] }
}
