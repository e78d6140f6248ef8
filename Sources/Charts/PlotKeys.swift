// SPDX-License-Identifier: MIT
internal import AsyncIO
package import TerminalOutput

/// Keys on their way from the thread that reads them to the one that draws a ``TerminalPlot``.
package final class PlotKeys: Sendable {
  private let waiting = Lock<[Key]>([])

  package init() {}

  /// Adds keys; the plot takes them when it is drawn next.
  package func add(_ keys: [Key]) { waiting.withLock { $0 += keys } }

  func take() -> [Key] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
