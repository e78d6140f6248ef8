// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Limits how many values of a characteristic are on their way.
///
/// Values are sent behind each other, with a round trip to bluetoothd after every few: what was sent before it has been
/// taken when its reply arrives. An indicated value is on its way until a central has confirmed it.
///
/// Confined to the manager.
final class UpdateWindow {
  /// How many values may be on their way to bluetoothd.
  static let capacity = 32
  /// How many values share one round trip.
  static let batch = 8

  /// Whether a central confirms each value.
  let isConfirmed: Bool
  private(set) var inFlight = 0
  /// The values that no round trip covers yet.
  private var uncoveredCount = 0
  /// Whether an update was refused since there was last room.
  private var wasRefused = false
  private var waiters: [Wait<Void>] = []
  /// Ends the wait for a confirmation that does not come.
  var confirmationTimer: TimerID?
  /// Changes when everything on its way is void.
  private(set) var generation = 0

  init(isConfirmed: Bool) { self.isConfirmed = isConfirmed }

  private var capacity: Int { isConfirmed ? 1 : UpdateWindow.capacity }

  /// Takes room for a value.
  ///
  /// - Returns: whether there was room.
  func take() -> Bool {
    guard inFlight < capacity else {
      wasRefused = true
      return false
    }
    inFlight += 1
    return true
  }

  /// Notes that a value was sent.
  ///
  /// - Returns: how many values the next round trip covers, if one is due.
  func sent() -> Int? {
    uncoveredCount += 1
    guard uncoveredCount == UpdateWindow.batch || inFlight == capacity else { return nil }
    defer { uncoveredCount = 0 }
    return uncoveredCount
  }

  /// Notes that values have arrived.
  ///
  /// - Returns: whether there is room again for somebody who was refused.
  func arrived(_ count: Int, of generation: Int) -> Bool {
    guard generation == self.generation else { return false }
    inFlight = max(0, inFlight - count)
    return makeRoom()
  }

  /// Notes that a value was refused for another reason than its number.
  func refuse() { wasRefused = true }

  /// Notes that there may be room over the way that the next value takes.
  ///
  /// - Returns: whether somebody was refused who is to try again.
  func room() -> Bool { makeRoom() }

  /// The values that no round trip covers yet, for a round trip of their own; nil without any.
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

  /// A wait that ends when there may be room.
  ///
  /// It is over at once when there was room after the last refusal: the answers of bluetoothd may come between the refusal
  /// and the wait.
  func wait() -> Wait<Void> {
    let wait = Wait<Void>()
    if wasRefused { waiters.append(wait) } else { wait.fulfil(()) }
    return wait
  }

  /// Forgets what is on its way: nobody will answer.
  ///
  /// - Returns: whether somebody was refused who is to try again.
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
