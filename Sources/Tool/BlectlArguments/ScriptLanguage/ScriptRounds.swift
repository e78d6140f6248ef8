// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The rounds of a loop, and the value of its variable in each.
package enum ScriptRounds: Sendable, Hashable {
  /// A number of rounds without a variable.
  case count(Int)
  /// Hexadecimal digits, as many as the bounds have: `00..72`.
  case digits(first: Int, last: Int, width: Int)
  /// The bytes of integers, in hexadecimal digits: `u16 100..200`.
  case integers(IntegerRange)
  case list([String])

  /// Integers and their format.
  package struct IntegerRange: Sendable, Hashable {
    let word: String
    let first: Int
    let last: Int
  }

  /// Parses the words after `in`, at least one: `00..72`, `u16 100..200`, or a list.
  ///
  /// - Throws: ``ScriptMistake`` if a range is invalid.
  init(_ words: [String], at place: ScriptPlace) throws(ScriptMistake) {
    if words.count == 1, let bounds = Self.bounds(words[0]) {
      self = try Self.digits(bounds.first, bounds.last, words[0], place)
    } else if words.count == 2, let bounds = Self.bounds(words[1]) {
      self = try Self.integers(words[0], bounds.first, bounds.last, place)
    } else if let range = words.first(where: { Self.bounds($0) != nil }) {
      throw ScriptMistake(
        place, "'\(range)' cannot stand in a list; use a range alone: 00..72, or u16 100..200")
    } else {
      self = .list(words)
    }
  }

  private static func bounds(_ word: String) -> (first: Substring, last: Substring)? {
    guard let dots = word.firstRange(of: "..") else { return nil }
    return (word[..<dots.lowerBound], word[dots.upperBound...])
  }

  private static func digits(
    _ first: Substring, _ last: Substring, _ word: String, _ place: ScriptPlace
  ) throws(ScriptMistake) -> ScriptRounds {
    guard let low = digits(first), let high = digits(last) else {
      throw ScriptMistake(
        place,
        "'\(word)' is not a range of hexadecimal digits such as 00..72; for decimal numbers use u8 0..114")
    }
    guard first.utf8.count == last.utf8.count else {
      throw ScriptMistake(place, "'\(word)' needs as many digits on both sides, such as 00..72")
    }
    return .digits(first: low, last: high, width: first.utf8.count)
  }

  private static func digits(_ text: Substring) -> Int? {
    guard (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }) else {
      return nil
    }
    return Int(text, radix: 16)
  }

  private static func integers(
    _ word: String, _ first: Substring, _ last: Substring, _ place: ScriptPlace
  ) throws(ScriptMistake) -> ScriptRounds {
    let format = try? ValueFormat(parsing: word)
    guard case .integer(let integer) = format else {
      let why = format == nil ? "is not a format" : "is not a format of integers"
      throw ScriptMistake(place, "'\(word)' \(why); use a range such as u16 100..200")
    }
    guard let low = Int(first), let high = Int(last) else {
      throw ScriptMistake(place, "'\(first)..\(last)' is not a range of integers such as 100..200")
    }
    for bound in [low, high] where !integer.range.contains(Int128(bound)) {
      throw ScriptMistake(
        place,
        "'\(bound)' does not fit \(word), which holds \(integer.range.lowerBound) to \(integer.range.upperBound)"
      )
    }
    return .integers(IntegerRange(word: word, first: low, last: high))
  }

  /// The number of rounds, at least one.
  package var count: Int {
    switch self {
    case .count(let count): count
    case .digits(let first, let last, _): abs(last - first) + 1
    case .integers(let range): Int(clamping: abs(Int128(range.last) - Int128(range.first)) + 1)
    case .list(let words): words.count
    }
  }

  /// Returns the value of the variable in a round, from 0 to less than ``count``; empty without a variable.
  ///
  /// A range whose first bound is the greater counts down.
  package func value(_ round: Int) -> String {
    switch self {
    case .count: return ""
    case .digits(let first, let last, let width):
      let digits = String(first <= last ? first + round : first - round, radix: 16)
      return String(repeating: "0", count: width - digits.utf8.count) + digits
    case .integers(let range):
      let number = range.first <= range.last ? range.first + round : range.first - round
      return Hex.string((try? ValueFormat(parsing: range.word).encode("\(number)")) ?? [])
    case .list(let words): return words[round]
    }
  }
}
