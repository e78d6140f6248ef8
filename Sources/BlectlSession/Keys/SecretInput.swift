// SPDX-License-Identifier: MIT
internal import Glibc
internal import TerminalOutput

/// Reads a secret from standard input, on a terminal without showing it: arguments can be seen by other users.
package struct SecretInput: Sendable {
  private let context: CommandContext

  package init(in context: CommandContext) { self.context = context }

  /// Asks on a terminal, and returns the next line, trimmed; nil at the end of the input, and when the task is cancelled.
  package func line(asking question: String) async -> String? {
    let input = PromptInput(on: context.loop)
    guard isatty(STDIN_FILENO) == 1 else { return await input.next() }
    context.terminal.beginPrompt(on: context.console)
    TerminalRestorer.keepMode()
    TerminalRestorer.hideTyping()
    context.console.draw(Array("\(TerminalSafe.escaped(question)): ".utf8))
    let line = await input.next()
    TerminalRestorer.releaseMode()
    // The end of the line was not shown either.
    context.console.draw(Array("\n".utf8))
    context.terminal.endPrompt()
    return line
  }
}
