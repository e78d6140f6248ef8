// SPDX-License-Identifier: MIT

/// A faulty answer to requests for a characteristic.
package struct AnswerFault: Sendable, Hashable {
  /// The answer.
  package enum Answer: Sendable, Hashable {
    /// The right one, late.
    case late(Duration)
    /// None.
    case never
    /// An ATT error with this code.
    case error(UInt8)
  }

  /// A kind of request.
  package enum Operation: String, Sendable, Hashable, CaseIterable {
    /// Reading the value.
    case read
    /// Writing the value.
    case write
    /// Writing the client configuration, to subscribe or unsubscribe.
    case subscribe
  }

  /// The answer.
  package var answer: Answer
  /// The kind of request; nil is all.
  package var operation: Operation?
  /// The number of requests; nil is all.
  package var times: Int?

  /// A faulty answer.
  package init(_ answer: Answer, to operation: Operation? = nil, times: Int? = nil) {
    self.answer = answer
    self.operation = operation
    self.times = times
  }
}
