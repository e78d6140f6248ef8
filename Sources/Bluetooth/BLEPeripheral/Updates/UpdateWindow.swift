// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Limits how many values of a characteristic are on their way; confined to the manager.
///
/// Values are sent without waiting, with a round trip to bluetoothd after every few: its reply proves that
/// all earlier values arrived. An indicated value is on its way until a central confirmed it.
final class UpdateWindow {
  /// The maximum number of values in flight to bluetoothd.
  static let capacity = 32
  /// The number of values that share one round trip.
  static let batch = 8

  let isConfirmed: Bool
  private(set) var inFlight = 0
  /// The number of values that no round trip covers yet.
  private var uncoveredCount = 0
  /// True if an update was refused since there was last room.
  private var wasRefused = false
  private var waiters: [Promise<Void>] = []
  /// Ends the wait for a confirmation that does not come.
  var confirmationTimer: TimerID?
  /// Incremented when all values on their way become void.
  private(set) var generation = 0

  init(isConfirmed: Bool) { self.isConfirmed = isConfirmed }

  private var capacity: Int { isConfirmed ? 1 : UpdateWindow.capacity }

  /// Takes room for a value; returns whether there was room.
  func take() -> Bool {
    guard inFlight < capacity else {
      wasRefused = true
      return false
    }
    inFlight += 1
    return true
  }

  /// Records that a value was sent, and returns the number of values that the next round trip covers, if one
  /// is due.
  func sent() -> Int? {
    uncoveredCount += 1
    guard uncoveredCount == UpdateWindow.batch || inFlight == capacity else { return nil }
    defer { uncoveredCount = 0 }
    return uncoveredCount
  }

  /// Records that values arrived, and returns whether a refused caller should now retry.
  func arrived(_ count: Int, of generation: Int) -> Bool {
    guard generation == self.generation else { return false }
    inFlight = max(0, inFlight - count)
    return makeRoom()
  }

  /// Records that a value was refused for a reason other than the limit.
  func refuse() { wasRefused = true }

  /// Records that there may be room for the next value, and returns whether a refused caller should now
  /// retry.
  func room() -> Bool { makeRoom() }

  /// Returns the number of values that no round trip covers yet, to cover them; nil if there are none.
  func uncovered() -> Int? {
    guard uncoveredCount > 0 else { return nil }
    defer { uncoveredCount = 0 }
    return uncoveredCount
  }

  private func makeRoom() -> Bool {
    while inFlight < capacity, !waiters.isEmpty { waiters.removeFirst().fulfil(()) }
    guard wasRefused, inFlight < capacity else { return false }
    wasRefused = false
    return true
  }

  /// Returns a wait that ends when there may be room, or at once if there was some since the last refusal.
  func wait() -> Promise<Void> {
    let wait = Promise<Void>()
    if wasRefused { waiters.append(wait) } else { wait.fulfil(()) }
    return wait
  }

  /// Forgets a wait that has ended: at its deadline, or with its task.
  func forget(_ wait: Promise<Void>) { waiters.removeAll { $0 === wait } }

  /// Forgets the unconfirmed values; returns whether a refused caller should now retry.
  @discardableResult
  func reset() -> Bool {
    defer { wasRefused = false }
    generation += 1
    (inFlight, uncoveredCount) = (0, 0)
    for wait in waiters { wait.fulfil(()) }
    waiters = []
    return wasRefused
  }
}
