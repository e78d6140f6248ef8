// SPDX-License-Identifier: MIT

/// A number of permits, which tasks get in the order of their requests.
///
/// Every wait for a permit ends with the task, and can have a deadline.
package final class AsyncSemaphore: Sendable {
  /// The end of a wait.
  package enum Outcome: Sendable {
    /// The task has a permit, and must release it.
    case taken
    case timedOut
    case cancelled
  }

  private struct State {
    /// Negative if more are taken than there are.
    var available: Int
    var waiting: [(ticket: Int, wait: Promise<Outcome>)] = []
    var lastTicket = 0
  }

  private let state: Lock<State>

  package init(_ count: Int) { state = Lock(State(available: count)) }

  package var hasWaiters: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// True if a permit is available now.
  package var isAvailable: Bool { state.withLock { $0.available > 0 } }

  /// Takes a permit if one is available now, and no task waits for one.
  package func takeIfAvailable() -> Bool {
    state.withLock { state in
      guard state.available > 0 else { return false }
      state.available -= 1
      return true
    }
  }

  /// Takes a permit without waiting, even if none is available: later tasks wait longer.
  package func takeAtOnce() { state.withLock { $0.available -= 1 } }

  /// Waits for a permit, on the loop's thread.
  package func take(until deadline: ContinuousClock.Instant?, on loop: EventLoop) async -> Outcome {
    let place = state.withLock { state -> (ticket: Int, wait: Promise<Outcome>)? in
      if state.available > 0 {
        state.available -= 1
        return nil
      }
      state.lastTicket += 1
      let place = (ticket: state.lastTicket, wait: Promise<Outcome>())
      state.waiting.append(place)
      return place
    }
    guard let place else { return .taken }
    let outcome = await place.wait.value(
      until: deadline, on: loop, ifLate: .timedOut, ifCancelled: .cancelled)
    if case .taken = outcome { return outcome }
    let hasWaited = state.withLock { state in
      let index = state.waiting.firstIndex { $0.ticket == place.ticket }
      if let index { state.waiting.remove(at: index) }
      return index != nil
    }
    if !hasWaited { release() }  // the permit came at the moment the task gave up
    return outcome
  }

  /// Returns a permit, which the first waiting task gets.
  package func release() {
    let next = state.withLock { state -> Promise<Outcome>? in
      // A waiting task takes it over.
      if state.available == 0, !state.waiting.isEmpty { return state.waiting.removeFirst().wait }
      state.available += 1
      return nil
    }
    next?.fulfil(.taken)
  }
}
