// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// Everything that a client saw, in order, and a way to wait for more.
package final class EventLog: Sendable {
  private struct Waiter {
    let start: Int
    let condition: @Sendable (BusEvent) -> Bool
    let promise: Promise<Int?>
  }

  private struct State {
    var events: [BusEvent] = []
    var waiters: [Waiter] = []
  }

  private let state = Lock(State())

  package init() {}

  /// What was seen so far, from a place on.
  package func events(from start: Int = 0) -> [BusEvent] { state.withLock { Array($0.events[start...]) } }

  /// The place of the next event.
  package var end: Int { state.withLock { $0.events.count } }

  package func append(_ event: BusEvent) {
    let (index, due) = state.withLock { state in
      state.events.append(event)
      let due = state.waiters.filter { $0.condition(event) }
      state.waiters.removeAll { waiter in due.contains { $0.promise === waiter.promise } }
      return (state.events.count - 1, due)
    }
    for waiter in due { waiter.promise.fulfil(index) }
  }

  /// Waits until an event fits.
  ///
  /// - Returns: its place; nil when it does not come in time, which is long.
  package func first(
    from start: Int = 0, within limit: Duration = .seconds(20),
    where condition: @escaping @Sendable (BusEvent) -> Bool
  ) async -> Int? {
    let promise = Promise<Int?>()
    let found = state.withLock { state -> Int? in
      if let index = state.events[start...].firstIndex(where: condition) { return index }
      state.waiters.append(Waiter(start: start, condition: condition, promise: promise))
      return nil
    }
    if let found { return found }
    let deadline = LoopClock.now + limit
    EventLoop.shared.submit {
      _ = EventLoop.shared.schedule(at: deadline) { promise.fulfil(nil) }
    }
    return await promise.value
  }
}
