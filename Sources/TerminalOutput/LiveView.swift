// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The terminal while a view that changes fills it.
///
/// Notes are kept back until the view is closed, because it would draw over them.
package final class LiveView: Sendable {
  private let console: Console
  private let screen = Lock(LiveScreen())

  package init(_ console: Console) { self.console = console }

  /// Whether the terminal can show one at all.
  package static func isPossible(on console: Console, term: String? = Console.environment("TERM")) -> Bool {
    console.output.isTerminal && term != "dumb"
  }

  /// How much there is to draw on, now.
  package var size: TerminalSize { console.output.size ?? .standard }

  /// Whether the terminal would take a drawing now; one that is held with Ctrl-S does not, and drawing would wait.
  package var isReady: Bool { console.output.isAvailable && console.output.isReady }

  /// Draws lines over what was drawn before; does nothing while others have the terminal.
  ///
  /// - Parameter lines: makes safe text without newlines for a size.
  /// - Throws: ``ConsoleError`` when the terminal has gone.
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

  /// Brings back what stood there before the first drawing.
  package func close() throws(ConsoleError) {
    let bytes = screen.withLock { $0.close() }
    if bytes.isEmpty { return }
    defer { console.releaseNotes() }
    if !TerminalRestorer.isLent { try console.write(bytes: bytes) }
    TerminalRestorer.viewClosed()
  }
}
