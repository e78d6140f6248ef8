// SPDX-License-Identifier: MIT
internal import AsyncIO

/// How many values are still wanted, of all characteristics and devices together.
final class RemainingValues: Sendable {
  private let left: Lock<Int>
  private let end = Promise<Void>()

  init(from count: Int?) { left = Lock(count ?? .max) }

  /// Takes as many as are still wanted.
  ///
  /// - Returns: how many that is.
  func take(_ count: Int) -> Int {
    let (taken, isOver) = left.withLock { left in
      let taken = min(left, count)
      left -= taken
      return (taken, left == 0)
    }
    if isOver { end.fulfil(()) }
    return taken
  }

  var isOver: Bool { left.withLock { $0 == 0 } }

  /// Waits until all were taken, or the task is cancelled; one task may.
  func reached() async {
    await end.value(ifCancelled: ())
  }
}
