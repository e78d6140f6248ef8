// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc
package import TerminalOutput

/// Reads a secret from standard input, on a terminal without showing it: arguments can be seen by other users.
package struct SecretInput: Sendable {
  private let terminal: TerminalUI
  private let console: Console
  private let loop: EventLoop

  package init(_ terminal: TerminalUI, console: Console, on loop: EventLoop) {
    (self.terminal, self.console, self.loop) = (terminal, console, loop)
  }

  /// Asks on a terminal, and returns the next line, trimmed; nil at the end of the input, and when the task is cancelled.
  package func line(asking question: String) async -> String? {
    let input = PromptInput(on: loop)
    guard isatty(STDIN_FILENO) == 1 else { return await input.next() }
    terminal.beginPrompt(on: console)
    TerminalRestorer.keepMode()
    TerminalRestorer.hideTyping()
    console.draw(Array("\(TerminalSafe.escaped(question)): ".utf8))
    let line = await input.next()
    TerminalRestorer.releaseMode()
    // The end of the line was not shown either.
    console.draw(Array("\n".utf8))
    terminal.endPrompt()
    return line
  }
}
