// SPDX-License-Identifier: MIT

/// How many times a fault still applies.
struct RemainingCount: Sendable, Hashable {
  static let none = RemainingCount(0)

  private var left: Int?

  /// - Parameter times: the number; nil is without limit.
  init(_ times: Int?) { left = times }

  var isOver: Bool { left == 0 }

  /// Whether the fault applies this time, which is counted.
  mutating func take() -> Bool {
    guard let left else { return true }
    self.left = max(0, left - 1)
    return left > 0
  }
}
