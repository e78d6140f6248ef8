// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlSession
internal import ValueStreams

/// The notified values of a characteristic that no `expect` has seen yet.
///
/// Only tasks on the loop use it.
final class ValueWatch: WaitingValues, @unchecked Sendable {
  /// The number of values that an error shows.
  static let shownCount = 5

  private var waiting: [ReceivedValue] = []
  /// The number of values that were dropped.
  private(set) var forgottenCount = 0
  private var isOver = false
  private var failure: (any Error)?
  private var waiter: Promise<Void>?

  /// True if no more values come, and all were taken.
  var isExhausted: Bool { isOver && waiting.isEmpty }

  func add(_ values: some Sequence<ReceivedValue>) {
    waiting += values
    let excess = waiting.count - Expectation.capacity
    if excess > 0 {
      waiting.removeFirst(excess)
      forgottenCount += excess
    }
    wake()
  }

  /// No more values come; the failure, if there is one, is why.
  func end(_ failure: (any Error)?) {
    isOver = true
    self.failure = self.failure ?? failure
    wake()
  }

  private func wake() {
    waiter?.fulfil(())
    waiter = nil
  }

  func discard() { waiting = [] }

  /// The next value; nil when none comes before the deadline, or when no more can come.
  ///
  /// - Throws: why no more can come; `CancellationError`.
  func next(until deadline: ContinuousClock.Instant?, on loop: EventLoop) async throws -> ReceivedValue? {
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
