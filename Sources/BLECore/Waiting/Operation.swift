// SPDX-License-Identifier: MIT

/// What a task does, and until when: for the errors and the waits on its way.
package struct Operation: Sendable {
  package let action: BLEError.Action
  package let deadline: Deadline

  package init(_ action: BLEError.Action, until deadline: Deadline) {
    self.action = action
    self.deadline = deadline
  }

  /// - Parameters:
  ///   - action: what is attempted.
  ///   - timeout: how long it may take; nil is without limit.
  package init(_ action: BLEError.Action, timeout: Duration?) {
    self.init(action, until: Deadline(after: timeout))
  }

  /// The same, with a deadline no later than a while from now.
  package func within(_ duration: Duration) -> Operation {
    Operation(action, until: deadline.within(duration))
  }

  /// The same, with a deadline no earlier than a while from now.
  package func lasting(_ duration: Duration) -> Operation {
    Operation(action, until: deadline.notBefore(duration))
  }

  package func error(_ code: BLEError.Code, _ message: String) -> BLEError {
    BLEError(code, during: action, message)
  }

  package var cancelled: BLEError { error(.cancelled, "cancelled") }
}
