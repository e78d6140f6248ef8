// SPDX-License-Identifier: MIT

/// A faulty answer to requests for a characteristic.
package struct AnswerFault: Sendable, Equatable {
  package enum Answer: Sendable, Equatable {
    /// The right answer, but late.
    case late(Duration)
    case never
    /// An ATT error with this code.
    case error(UInt8)
  }

  package enum Operation: String, Sendable, Hashable, CaseIterable {
    case read
    case write
    /// A write of the client configuration, to subscribe or unsubscribe.
    case subscribe
  }

  package var answer: Answer
  /// The kind of request; nil for all.
  package var operation: Operation?
  /// The number of requests; nil for all.
  package var times: Int?

  package init(_ answer: Answer, to operation: Operation? = nil, times: Int? = nil) {
    (self.answer, self.operation, self.times) = (answer, operation, times)
  }
}
