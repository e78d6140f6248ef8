// SPDX-License-Identifier: MIT

/// Something that happens to a characteristic of a peripheral.
package enum CharacteristicAction: Sendable, Hashable {
  /// It gets a value and notifies it to subscribed clients.
  case setValue([UInt8])
  /// The daemon signals all its properties again although none has changed.
  case repeatProperties
  /// Requests are answered faultily from now on.
  case answer(AnswerFault)
  /// Requests are answered normally again.
  case heal

  /// Whether it lasts, so that `faults` of a world file can list it.
  package var isStanding: Bool {
    if case .answer = self { true } else { false }
  }

  /// The action that undoes it; nil for a momentary action.
  package var undoing: CharacteristicAction? { isStanding ? .heal : nil }
}

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

/// How many times a fault still applies.
package struct RemainingCount: Sendable, Hashable {
  package static let none = RemainingCount(0)

  private var left: Int?

  /// - Parameter times: the number; nil is without limit.
  package init(_ times: Int?) { left = times }

  package var isOver: Bool { left == 0 }

  /// Whether the fault applies this time, which is counted.
  package mutating func take() -> Bool {
    guard let left else { return true }
    self.left = max(0, left - 1)
    return left > 0
  }
}
