// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The calls that wait for a reply: serial number to waiter.
///
/// libdbus' own pending calls would do the same for 40 % more instructions, each preparing its time-out error
/// in advance.
struct PendingCalls {
  typealias Outcome = Result<Message, DBusError>

  /// Who waits for a reply, and how long.
  struct Waiter {
    let promise: Promise<Outcome>
    /// The object that was called.
    let path: String
    let deadline: ContinuousClock.Instant?
    /// Called with the outcome at the place in the message stream where it arrives, before the waiting task runs.
    let observer: (@Sendable (Outcome) -> Void)?

    func finish(_ outcome: Outcome) {
      observer?(outcome)
      promise.fulfil(outcome)
    }
  }

  private var waiters: [UInt32: Waiter] = [:]

  var count: Int { waiters.count }

  mutating func add(_ waiter: Waiter, serial: UInt32) { waiters[serial] = waiter }

  mutating func take(_ serial: UInt32) -> Waiter? { waiters.removeValue(forKey: serial) }

  var earliestDeadline: ContinuousClock.Instant? { waiters.values.lazy.compactMap(\.deadline).min() }

  /// Takes out the waiters that fulfil a condition, in the order of their calls.
  mutating func takeAll(where condition: (Waiter) -> Bool) -> [Waiter] {
    let serials = waiters.filter { condition($0.value) }.keys.sorted()
    return serials.compactMap { waiters.removeValue(forKey: $0) }
  }
}
