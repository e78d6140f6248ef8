// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral

/// The notified values of a characteristic that no step of a script has taken yet.
package final class ValueWatch: Sendable {
  /// The maximum number of values that wait.
  ///
  /// Beyond it, the oldest are dropped.
  package static let capacity = 10_000
  /// The number of values that an error shows.
  package static let shownCount = 5

  private struct State {
    var waiting: [ReceivedValue] = []
    var forgottenCount = 0
    var isOver = false
    var failure: (any Error)?
    var waiter: Promise<Void>?
  }

  private let state = Lock(State())

  package init() {}

  /// The number of values that were dropped because too many waited.
  package var forgottenCount: Int { state.withLock { $0.forgottenCount } }

  /// True if no more values come, and all were taken.
  package var isExhausted: Bool { state.withLock { $0.isOver && $0.waiting.isEmpty } }

  package func add(_ values: some Sequence<ReceivedValue>) {
    state.withLock { state in
      state.waiting += values
      let excess = state.waiting.count - Self.capacity
      if excess > 0 {
        state.waiting.removeFirst(excess)
        state.forgottenCount += excess
      }
    }
    wake()
  }

  /// No more values come; the failure, if there is one, is why.
  package func end(_ failure: (any Error)?) {
    state.withLock { state in
      state.isOver = true
      state.failure = state.failure ?? failure
    }
    wake()
  }

  private func wake() { state.exchange(\.waiter, nil)?.fulfil(()) }

  /// Drops what waits.
  package func discard() { state.exchange(\.waiting, []) }

  /// The next value; nil when none comes before the deadline, or when no more can come.
  ///
  /// - Throws: why no more can come; `CancellationError`.
  package func next(
    until deadline: ContinuousClock.Instant?, on loop: EventLoop
  ) async throws -> ReceivedValue? {
    while true {
      let (value, failure, isOver) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.failure, state.isOver)
      }
      if let value { return value }
      try Task.checkCancellation()
      if let failure { throw failure }
      if isOver || deadline.map({ $0 <= LoopClock.now }) ?? false { return nil }
      let promise = Promise<Void>()
      state.exchange(\.waiter, promise)
      // What came meanwhile has woken nobody.
      if state.withLock({ $0.waiting.isEmpty && !$0.isOver }) {
        await promise.value(until: deadline, on: loop, ifLate: (), ifCancelled: ())
      }
    }
  }
}
