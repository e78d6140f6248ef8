// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Provides the values of a long write, in order.
package protocol WriteSource: Sendable {
  /// Returns the next values that are there, up to `most` of them: none if they come later, nil at the end.
  func next(_ most: Int) -> [[UInt8]]?
  /// Waits until ``next(_:)`` has values or the end, or the task is cancelled.
  func waitForNext() async
  /// Allows `count` more values to arrive, since BlueZ has taken as many.
  func taken(_ count: Int)
}

extension WriteSource {
  package func taken(_ count: Int) {}
}

/// Values that are all there.
package struct KnownValues: WriteSource {
  private let rest: Lock<ArraySlice<[UInt8]>>

  package init(_ values: [[UInt8]]) { rest = Lock(values[...]) }

  package func next(_ most: Int) -> [[UInt8]]? {
    rest.withLock { rest in
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(most) }
      return Array(rest.prefix(most))
    }
  }

  package func waitForNext() async {}
}
