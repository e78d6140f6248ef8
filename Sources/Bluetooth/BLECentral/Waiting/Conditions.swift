// SPDX-License-Identifier: MIT
internal import BlueZClient

struct Conditions {
  private struct Waiter {
    let number: Int
    /// Evaluates the condition; returns true, and ends the wait, when it is met.
    let check: (ObjectModel, BLEError?) -> Bool
  }

  private var waiters: [Waiter] = []
  private var lastNumber = 0

  mutating func add(_ check: @escaping (ObjectModel, BLEError?) -> Bool) -> Int {
    lastNumber += 1
    waiters.append(Waiter(number: lastNumber, check: check))
    return lastNumber
  }

  /// Adds a waiter, and returns its number; returns nil, and adds none, if the condition is met now.
  mutating func add(
    now model: ObjectModel, _ outage: BLEError?, _ check: @escaping (ObjectModel, BLEError?) -> Bool
  ) -> Int? {
    check(model, outage) ? nil : add(check)
  }

  mutating func remove(_ number: Int) { waiters.removeAll { $0.number == number } }

  /// Evaluates every condition, and removes the waiters whose condition is met.
  ///
  /// Without any, as while thousands of advertisements come, the model is not even copied.
  mutating func look(at model: @autoclosure () -> ObjectModel, outage: @autoclosure () -> BLEError?) {
    guard !waiters.isEmpty else { return }
    let (model, outage) = (model(), outage())
    waiters.removeAll { $0.check(model, outage) }
  }
}
