// SPDX-License-Identifier: MIT

/// The start of an alarm, the value of `--when`: a condition on fields, and the time for which it has to
/// hold.
package struct AlarmArgument: Sendable, Hashable {
  package let condition: FieldCondition
  /// Nil for an alarm at once.
  package let time: Duration?
  /// The condition as the user wrote it.
  package let text: String

  /// Parses `temperature_celsius > 25 until < 24 and not door = yes for 5m`.
  package init(parsing text: String) throws(ArgumentError) {
    var parser = FieldConditionParser(try ConditionTokens(text))
    condition = try parser.condition()
    self.text = text
    guard parser.take("for") else {
      time = nil
      try parser.requireEnd()
      return
    }
    guard let word = parser.takeAny()?.text else {
      throw ArgumentError("for", "needs a duration behind it, such as 5m")
    }
    time = try DurationArgument(parsing: word).limit
    if let next = parser.next {
      throw ArgumentError(next.text, "stands behind 'for', which is the end of a condition")
    }
  }
}
