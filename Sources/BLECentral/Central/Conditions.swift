// SPDX-License-Identifier: MIT
internal import DBus

/// Tasks that wait until the object tree looks a certain way.
struct Conditions {
  /// How a wait ended.
  enum Outcome<Value: Sendable>: Sendable {
    case met(Result<Value, BLEError>)
    case timedOut
    case cancelled
  }

  private struct Waiter {
    let number: Int
    /// Looks, and fulfils the promise when the time has come: true then.
    let check: (ObjectModel, BLEError?) -> Bool
  }

  private var waiters: [Waiter] = []
  private var lastNumber = 0

  mutating func add(_ check: @escaping (ObjectModel, BLEError?) -> Bool) -> Int {
    lastNumber += 1
    waiters.append(Waiter(number: lastNumber, check: check))
    return lastNumber
  }

  mutating func remove(_ number: Int) { waiters.removeAll { $0.number == number } }

  /// Lets every waiter look again.
  ///
  /// - Parameters:
  ///   - model: the object tree.
  ///   - outage: why nothing can be waited for any more.
  mutating func look(at model: ObjectModel, outage: BLEError?) {
    if !waiters.isEmpty { waiters.removeAll { $0.check(model, outage) } }
  }
}
