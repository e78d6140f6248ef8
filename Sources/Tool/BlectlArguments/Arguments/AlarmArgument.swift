// SPDX-License-Identifier: MIT

/// The start of an alarm, the value of `--when`: a condition on fields, the devices that it is for, and the time for which it
/// has to hold.
package struct AlarmArgument: Sendable, Hashable {
  /// Nil for all devices.
  package let device: DeviceArgument?
  package let condition: FieldCondition
  /// Nil for an alarm at once.
  package let time: Duration?
  /// The condition as the user wrote it.
  package let text: String

  /// Parses `temperature_celsius > 25 until < 24 and not door = yes for 5m`, perhaps with `DEVICE: ` before it.
  package init(parsing text: String) throws(ArgumentError) {
    let (name, rest) = Self.parts(of: text)
    device = if let name { try DeviceArgument(parsing: name) } else { nil }
    let tokens = try ConditionTokens(rest)
    if name == nil, let error = Self.missingColon(in: tokens) { throw error }
    var parser = FieldConditionParser(tokens)
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

  /// The error about a device without a colon behind it, as in `Freezer temperature > 5`; nil for other texts.
  private static func missingColon(in tokens: ConditionTokens) -> ArgumentError? {
    let words = tokens.tokens.prefix { !$0.isSign }
    guard words.count > 1, words.count < tokens.tokens.count, words.last?.isName == true,
      !words.contains(where: {
        $0.text.contains("..") || ["not", "and", "or", "until", "for", "(", ")"].contains($0.text)
      })
    else { return nil }
    let device = words.dropLast().map(\.text).joined(separator: " ")
    return ArgumentError(
      device, "needs a colon behind it, if it is a device: '\(device): \(words.last?.text ?? "") …'")
  }

  /// Returns the condition of an alarm as the user wrote it, without the devices that it is for.
  package static func condition(in text: String) -> String { parts(of: text).condition }

  /// Divides a text at the first colon with a blank behind it, or else the last one; not within a text with which a field is
  /// compared.
  private static func parts(of text: String) -> (device: String?, condition: String) {
    let start = text.prefix { !"<>=≤≥≠".contains($0) }
    let colon = start.firstRange(of: /:\s+/) ?? start.lastIndex(of: ":").map { $0..<start.index(after: $0) }
    guard let colon, colon.lowerBound > start.startIndex else { return (nil, text) }
    return (withoutQuotes(String(start[..<colon.lowerBound])), String(text[colon.upperBound...]))
  }

  /// The name in the quotes that the shell has left.
  private static func withoutQuotes(_ name: String) -> String {
    guard name.count > 2, let quote = name.first, quote == "\"" || quote == "'", name.last == quote else {
      return name
    }
    return String(name.dropFirst().dropLast())
  }
}
