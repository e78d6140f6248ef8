// SPDX-License-Identifier: MIT
internal import Synchronization

@testable package import TerminalOutput

/// A console whose writes are kept, one entry for each.
package final class CapturedConsole: Sendable {
  private let writes = Mutex<(output: [String], errors: [String])>(([], []))

  package init() {}

  /// The output, write by write.
  package var output: [String] { writes.withLock { $0.output } }

  /// The text on standard error, write by write.
  package var errors: [String] { writes.withLock { $0.errors } }

  /// A console that writes here.
  package func console(isTerminal: Bool = false, isColored: Bool = false) -> Console {
    Console(
      output: ConsoleStream(isTerminal: isTerminal, isColored: isColored) { [self] bytes in
        writes.withLock { $0.output.append(String(decoding: bytes, as: UTF8.self)) }
      },
      errors: ConsoleStream(isTerminal: isTerminal, isColored: isColored) { [self] bytes in
        writes.withLock { $0.errors.append(String(decoding: bytes, as: UTF8.self)) }
      })
  }
}
