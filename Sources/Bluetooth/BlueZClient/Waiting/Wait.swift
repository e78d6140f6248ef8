// SPDX-License-Identifier: MIT
package import AsyncIO

/// A task's wait for a value, a deadline or its cancellation, whichever comes first.
package struct Wait<Value: Sendable>: Sendable {
  package enum Outcome: Sendable {
    case value(Value)
    case timedOut
    case cancelled
  }

  private let promise = Promise<Outcome>()

  package init() {}

  /// Returns whether both are the same wait.
  package static func === (left: Wait, right: Wait) -> Bool { left.promise === right.promise }

  /// Ends the wait, from any thread; has no effect after its end.
  package func fulfil(_ value: Value) { promise.fulfil(.value(value)) }

  /// Waits, on the loop's thread.
  package func outcome(until deadline: Deadline, on loop: EventLoop) async -> Outcome {
    await promise.value(until: deadline.instant, on: loop, ifLate: .timedOut, ifCancelled: .cancelled)
  }

  /// Waits on the loop's thread; returns nil if the deadline came first, throws `cancelled`.
  package func value(for operation: Operation, on loop: EventLoop) async throws(BLEError) -> Value? {
    switch await outcome(until: operation.deadline, on: loop) {
    case .value(let value): return value
    case .timedOut: return nil
    case .cancelled: throw operation.cancelled
    }
  }
}
