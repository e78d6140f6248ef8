// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc
internal import TerminalOutput

/// A person at the terminal; what the peer sends is shown as it is, with its control sequences.
package final class ConsolePort: SerialPort, @unchecked Sendable {
  /// How often a process in the background, or during a question, checks whether it has the terminal again.
  private static let restTime = Duration.milliseconds(250)

  private let keys: ConsoleKeys
  private let translatesOutput: Bool
  private let stream: ByteStream
  private let loop: EventLoop
  private var isOver = false

  package var usesTerminal: Bool { true }
  package var endsWithInput: Bool { true }

  /// `translatesOutput` leaves it to the terminal to return to the first column with each line.
  package init(_ keys: ConsoleKeys, translatesOutput: Bool, on loop: EventLoop) {
    (self.keys, self.loop) = (keys, loop)
    self.translatesOutput = translatesOutput
    stream = ByteStream(input: STDIN_FILENO, output: STDOUT_FILENO, on: loop)
  }

  /// Whether both ends of the terminal are ours.
  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// How a person ends it.
  package var ending: String { keys.sendsLines ? "Ctrl-D" : keys.escape.description }

  package func begin() {
    if !keys.sendsLines { TerminalRestorer.passKeys(translatesOutput: translatesOutput) }
  }

  package func end() { if !keys.sendsLines { TerminalRestorer.releaseMode() } }

  package func read(_ most: Int) async throws -> [UInt8]? {
    while !isOver {
      while !TerminalRestorer.claim() { try await loop.sleep(for: Self.restTime) }
      guard let typed = await stream.read(most) else { break }
      let (bytes, isOver) = keys.sent(for: typed)
      self.isOver = isOver
      guard !bytes.isEmpty else { continue }
      if keys.echoes, !keys.sendsLines { try await stream.write(keys.shown(for: bytes)) }
      return bytes
    }
    return nil
  }

  package func write(_ bytes: ArraySlice<UInt8>) async throws -> Int { try await stream.writeSome(bytes) }
}
