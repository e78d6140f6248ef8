// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The terminal while a changing view fills it; notes, which it would overwrite, wait until it is closed.
package final class LiveView: Sendable {
  private let console: Console
  private let screen = Lock(LiveScreen())

  package init(_ console: Console) { self.console = console }

  package static func isPossible(on console: Console, term: String? = Console.environment("TERM")) -> Bool {
    console.output.isTerminal && term != "dumb"
  }

  package var size: TerminalSize { console.output.size ?? .standard }

  /// True if the terminal would take a drawing now; after Ctrl-S it would not, and drawing would wait.
  package var isReady: Bool { console.output.isAvailable && console.output.isReady }

  /// Draws safe lines without newlines over the earlier ones; does nothing while others have the terminal.
  package func draw(_ lines: (TerminalSize) -> [String]) throws(ConsoleError) {
    guard console.output.isAvailable else { return }
    let size = size
    let lines = lines(size)
    try TerminalRestorer.draw { () throws(ConsoleError) in
      let bytes = screen.withLock { screen in
        if !screen.isOpen {
          console.holdNotes()
          TerminalRestorer.viewOpened()
        }
        return screen.redraw(lines, size: size)
      }
      try console.write(bytes: bytes)
    }
  }

  /// Restores the contents from before the first drawing.
  package func close() throws(ConsoleError) {
    let bytes = screen.withLock { $0.close() }
    if bytes.isEmpty { return }
    defer { console.releaseNotes() }
    if !TerminalRestorer.isLent { try console.write(bytes: bytes) }
    TerminalRestorer.viewClosed()
  }
}
