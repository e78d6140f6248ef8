// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc

/// Standard input and output, as they are.
package struct PipePort: SerialPort {
  private let stream: ByteStream
  /// Nil unless standard output is a terminal.
  private let cursor: TerminalCursor?

  package var usesTerminal: Bool { true }

  /// `cursor` is told what is shown, if standard output is a terminal.
  package init(following cursor: TerminalCursor? = nil, on loop: EventLoop) {
    self.cursor = cursor
    stream = ByteStream(input: STDIN_FILENO, output: STDOUT_FILENO, on: loop)
  }

  package func read(_ most: Int) async -> [UInt8]? { await stream.read(most) }

  package func write(_ bytes: ArraySlice<UInt8>) async throws -> Int {
    let count = try await stream.writeSome(bytes)
    cursor?.passed(bytes.prefix(count))
    return count
  }

  package func end() { if let cursor { stream.writeIfPossible(cursor.lineEnd()) } }
}
