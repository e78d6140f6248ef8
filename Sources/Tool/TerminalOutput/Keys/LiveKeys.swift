// SPDX-License-Identifier: MIT
package import AsyncIO

/// Passes keys from the thread that reads them to the one that draws a view, and back that one of them ends it.
package final class LiveKeys: Sendable {
  private let waiting = Lock<[Key]>([])
  /// Fulfilled when a key has ended the view.
  package let end = Promise<Void>()

  package init() {}

  /// Ends the view.
  package func finish() { end.fulfil(()) }

  /// Adds keys; the view takes them the next time it is drawn.
  package func add(_ keys: [Key]) { waiting.withLock { $0 += keys } }

  /// Takes the keys that wait, in their order.
  package func take() -> [Key] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
