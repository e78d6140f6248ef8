// SPDX-License-Identifier: MIT

/// The number of times a fault still applies.
package struct RemainingCount: Sendable, Equatable {
  package static let none = RemainingCount(0)

  private var left: Int?

  /// - Parameter times: the number; nil for no limit.
  package init(_ times: Int?) { left = times }

  package var isOver: Bool { left == 0 }

  /// Returns whether the fault applies this time, and counts that.
  package mutating func take() -> Bool {
    guard let left else { return true }
    self.left = max(0, left - 1)
    return left > 0
  }
}
