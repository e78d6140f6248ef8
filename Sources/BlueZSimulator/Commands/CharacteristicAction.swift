// SPDX-License-Identifier: MIT

/// What can happen to a characteristic of a peripheral.
package enum CharacteristicCommand: Sendable, Hashable {
  /// It gets a value and notifies it to who is subscribed.
  case setValue([UInt8])
  /// The daemon tells all its properties again though none has changed.
  case repeatProperties
  /// Requests are answered wrongly from now on.
  case answer(AnswerFault)
  /// Requests are answered as they should again.
  case heal

  /// Whether it is a state that lasts, as `faults` of a world file may list.
  package var isStanding: Bool {
    if case .answer = self { true } else { false }
  }

  /// What takes it back; nil for what happens once and is over.
  var undoing: CharacteristicCommand? { isStanding ? .heal : nil }
}

/// How a peripheral answers requests for a characteristic wrongly.
package struct AnswerFault: Sendable, Hashable {
  /// What the answer is.
  package enum Answer: Sendable, Hashable {
    /// The right one, but so much later.
    case late(Duration)
    /// None within any patience.
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
    /// Writing the client configuration, to subscribe or to end that.
    case subscribe
  }

  /// What the answer is.
  package var answer: Answer
  /// Which requests are answered so; nil is all.
  package var operation: Operation?
  /// How many requests; nil is all from now on.
  package var times: Int?

  /// A wrong answer.
  package init(_ answer: Answer, to operation: Operation? = nil, times: Int? = nil) {
    self.answer = answer
    self.operation = operation
    self.times = times
  }
}
