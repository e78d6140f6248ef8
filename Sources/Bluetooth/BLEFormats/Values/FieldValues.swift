// SPDX-License-Identifier: MIT

/// The values that a field can have, as far as they are known: with others, a comparison would never hold.
package struct FieldValues: Sendable, Hashable {
  /// True if it can be a number.
  package private(set) var isNumeric: Bool
  /// True if it can be yes or no.
  package private(set) var isTruth: Bool
  /// The words that it can be, in their order; nil if it can be any text.
  package private(set) var words: [String]?
  /// The words before a number without a name, as in `reserved 7`.
  private var prefixes: Set<String> = []

  private init(isNumeric: Bool = false, isTruth: Bool = false, words: [String]?, prefixes: Set<String> = []) {
    (self.isNumeric, self.isTruth, self.words, self.prefixes) = (isNumeric, isTruth, words, prefixes)
  }

  /// Anything.
  package static let any = FieldValues(isNumeric: true, isTruth: true, words: nil)
  /// Numbers.
  package static let numbers = numbers(or: [])
  /// Yes or no.
  package static let truth = FieldValues(isTruth: true, words: [])

  /// Numbers, or words in their place.
  static func numbers(or words: [String]) -> FieldValues { FieldValues(isNumeric: true, words: words) }

  /// Words, or a number behind some of them.
  static func words(_ words: [String], numbered prefixes: Set<String> = []) -> FieldValues {
    FieldValues(words: words, prefixes: prefixes)
  }

  init(_ kind: FieldKind) {
    switch kind {
    case .number: self = .numbers
    case .flag: self = .truth
    case .text: self = .any
    }
  }

  /// Returns the values that either of two fields can have.
  package func union(_ other: FieldValues) -> FieldValues {
    let more = words.flatMap { own in other.words.map { own + $0.filter { !own.contains($0) } } }
    return FieldValues(
      isNumeric: isNumeric || other.isNumeric, isTruth: isTruth || other.isTruth, words: more,
      prefixes: prefixes.union(other.prefixes))
  }

  /// Returns whether the value can be equal to a text.
  package func contains(_ text: String) -> Bool {
    guard let words else { return true }
    if words.contains(text) || isNumeric && DecimalNumber(text) != nil { return true }
    if isTruth, ["yes", "no", "true", "false"].contains(text) { return true }
    guard let blank = text.lastIndex(of: " "), prefixes.contains(String(text[..<blank])) else { return false }
    return Int(text[text.index(after: blank)...]) != nil
  }

  /// True if the value can be less or more than a number.
  package var hasOrder: Bool {
    guard let words else { return true }
    return isNumeric || words.contains { DecimalNumber($0) != nil }
  }
}

extension FieldValues: CustomStringConvertible {
  /// The values as they follow "it is": `yes or no`, `a number`, `open, closed or left open`.
  package var description: String {
    guard let words else { return "any text" }
    let parts = (isTruth ? ["yes", "no"] : []) + (isNumeric ? ["a number"] : []) + words
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "nothing that is known" }
    if parts.count > 12 { return parts.prefix(11).joined(separator: ", ") + ", or another such word" }
    return parts.dropLast().joined(separator: ", ") + " or \(last)"
  }
}

extension Choice {
  /// The values that a field with its states can have.
  var fieldValues: FieldValues {
    let texts = numbers.compactMap { number in
      if case .text(let word)? = value(of: number) { word } else { nil }
    }
    let hasTruth = numbers.contains { if case .bool? = value(of: $0) { true } else { false } }
    if texts.isEmpty, hasTruth { return .truth }
    let words = FieldValues.words(texts, numbered: [unnamed])
    return hasTruth ? words.union(.truth) : words
  }
}

extension NumberShape {
  /// The values that a field of its numbers can have.
  var fieldValues: FieldValues { .numbers(or: specials.map(\.word)) }
}

extension RealShape {
  /// The values that a field of its numbers can have.
  var fieldValues: FieldValues {
    switch encoding {
    case .ieee: .numbers(or: ["nan", "inf", "-inf"])
    case .medical(let format): .numbers(or: format.words)
    }
  }
}
