// SPDX-License-Identifier: MIT

/// What a task does, and until when: for the errors and the waits on its way.
package struct Operation: Sendable {
  /// What follows "cannot": `read 2a19 of F0:F1:F2:F3:F4:F5`.
  package let name: String
  package let deadline: Deadline

  package init(_ name: String, until deadline: Deadline) {
    self.name = name
    self.deadline = deadline
  }

  /// - Parameters:
  ///   - name: what follows "cannot".
  ///   - timeout: how long it may take; nil is without limit.
  package init(_ name: String, timeout: Duration?) { self.init(name, until: Deadline(after: timeout)) }

  /// The same, with a deadline no later than a while from now.
  package func within(_ duration: Duration) -> Operation { Operation(name, until: deadline.within(duration)) }

  /// The same, with a deadline no earlier than a while from now.
  package func lasting(_ duration: Duration) -> Operation {
    Operation(name, until: deadline.notBefore(duration))
  }

  package func error(_ code: BLEError.Code, _ message: String) -> BLEError {
    BLEError(code, operation: name, message: message)
  }

  package var cancelled: BLEError { error(.cancelled, "cancelled") }
}
