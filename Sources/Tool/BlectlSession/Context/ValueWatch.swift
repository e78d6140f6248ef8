// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral

/// The notified values of a characteristic that no step of a script has taken yet.
///
/// Only tasks on the loop use it.
package final class ValueWatch: @unchecked Sendable {
  /// The maximum number of values that wait.
  ///
  /// Beyond it, the oldest are dropped.
  package static let capacity = 10_000
  /// The number of values that an error shows.
  package static let shownCount = 5

  private var waiting: [ReceivedValue] = []
  /// The number of values that were dropped because too many waited.
  package private(set) var forgottenCount = 0
  private var isOver = false
  private var failure: (any Error)?
  private var waiter: Promise<Void>?

  package init() {}

  /// True if no more values come, and all were taken.
  package var isExhausted: Bool { isOver && waiting.isEmpty }

  package func add(_ values: some Sequence<ReceivedValue>) {
    waiting += values
    let excess = waiting.count - Self.capacity
    if excess > 0 {
      waiting.removeFirst(excess)
      forgottenCount += excess
    }
    wake()
  }

  /// No more values come; the failure, if there is one, is why.
  package func end(_ failure: (any Error)?) {
    isOver = true
    self.failure = self.failure ?? failure
    wake()
  }

  private func wake() {
    waiter?.fulfil(())
    waiter = nil
  }

  /// Drops what waits.
  package func discard() { waiting = [] }

  /// The next value; nil when none comes before the deadline, or when no more can come.
  ///
  /// - Throws: why no more can come; `CancellationError`.
  package func next(
    until deadline: ContinuousClock.Instant?, on loop: EventLoop
  ) async throws -> ReceivedValue? {
    while waiting.isEmpty {
      try Task.checkCancellation()
      if let failure { throw failure }
      if isOver || deadline.map({ $0 <= LoopClock.now }) ?? false { return nil }
      let promise = Promise<Void>()
      waiter = promise
      await promise.value(until: deadline, on: loop, ifLate: (), ifCancelled: ())
    }
    return waiting.removeFirst()
  }
}
