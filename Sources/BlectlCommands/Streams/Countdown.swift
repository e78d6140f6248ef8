// SPDX-License-Identifier: MIT
internal import DBus

/// How many values are still wanted, of all characteristics together.
final class Countdown: Sendable {
  private let left: Lock<Int>

  init(from count: Int?) { left = Lock(count ?? .max) }

  /// Takes as many as are still wanted.
  ///
  /// - Returns: how many that is.
  func take(_ count: Int) -> Int {
    left.withLock { left in
      let taken = min(left, count)
      left -= taken
      return taken
    }
  }

  var isOver: Bool { left.withLock { $0 == 0 } }
}
