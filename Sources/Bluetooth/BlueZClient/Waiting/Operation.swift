// SPDX-License-Identifier: MIT
package import AsyncIO

/// A task's action and its deadline, for errors and waits.
package struct Operation: Sendable {
  package let action: BLEError.Action
  package let deadline: Deadline

  package init(_ action: BLEError.Action, until deadline: Deadline) {
    self.action = action
    self.deadline = deadline
  }

  package init(_ action: BLEError.Action, timeout: Duration?) {
    self.init(action, until: Deadline(after: timeout))
  }

  /// The same operation, with a deadline no later than a duration from now.
  package func within(_ duration: Duration) -> Operation {
    Operation(action, until: deadline.within(duration))
  }

  /// The same operation, with a deadline no earlier than a duration from now.
  package func lasting(_ duration: Duration) -> Operation {
    Operation(action, until: deadline.notBefore(duration))
  }

  package func error(_ code: BLEError.Code, _ message: String) -> BLEError {
    BLEError(code, during: action, message)
  }

  package var cancelled: BLEError { error(.cancelled, "cancelled") }
}

extension Promise {
  /// Waits on the loop's thread; returns nil if the deadline of the operation came first.
  ///
  /// - Throws: ``BLEError`` with code `cancelled`.
  package func value(for operation: Operation, on loop: EventLoop) async throws(BLEError) -> Value? {
    switch await outcome(until: operation.deadline.instant, on: loop) {
    case .value(let value): return value
    case .timedOut: return nil
    case .cancelled: throw operation.cancelled
    }
  }
}
