// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc

/// Standard input and output, as they are.
package struct PipePort: SerialPort {
  private let stream: ByteStream

  package var usesTerminal: Bool { true }

  package init(on loop: EventLoop) {
    stream = ByteStream(input: STDIN_FILENO, output: STDOUT_FILENO, on: loop)
  }

  package func read(_ most: Int) async -> [UInt8]? { await stream.read(most) }

  package func write(_ bytes: ArraySlice<UInt8>) async throws -> Int { try await stream.writeSome(bytes) }

  package func end() {}
}
