// SPDX-License-Identifier: MIT
internal import BLEFormats

extension FieldCondition {
  /// Parses comparisons that are joined by words; returns nil for a pattern of another kind.
  ///
  /// A text behind a FORMAT, as in `utf8 = this and that`, goes to the end.
  init?(joined text: String) throws(ArgumentError) {
    guard let tokens = try? ConditionTokens(text), let first = tokens.tokens.first else { return nil }
    let subject = tokens.tokens.first { !["not", "("].contains($0) } ?? first
    let isJoined = tokens.tokens.contains { ["and", "or", "not", "("].contains($0) }
    guard isJoined, (try? ValueFormat(parsing: subject.text)) == nil, subject.isName else { return nil }
    var parser = FieldConditionParser(tokens)
    self = try parser.whole()
    if let word = parser.second { throw ArgumentError(word, "is only for alarms (--when)") }
  }
}

/// The words of a condition: names, signs, parentheses, numbers, and texts in quotes.
struct ConditionTokens {
  struct Token: Equatable, ExpressibleByStringLiteral {
    let text: String
    /// True if it was quoted, so that it is a text, whatever it says.
    var isQuoted = false

    init(_ text: String, isQuoted: Bool = false) { (self.text, self.isQuoted) = (text, isQuoted) }

    init(stringLiteral text: String) { self.init(text) }

    var isName: Bool { !isQuoted && text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil }
    var isSign: Bool { !isQuoted && ConditionTokens.signs.contains(text) }
  }

  /// Longer ones come first.
  fileprivate static let signs = ValueCondition.synonyms.keys + ["<=", ">=", "==", "!=", "<", ">", "="]

  private(set) var tokens: [Token] = []

  init(_ text: String) throws(ArgumentError) {
    let characters = Array(text)
    var index = 0
    while index < characters.count {
      let start = index
      let character = characters[index]
      if character.isWhitespace {
        index += 1
      } else if character == "(" || character == ")" {
        index += 1
        tokens.append(Token(String(character)))
      } else if let sign = Self.signs.first(where: { characters[start...].starts(with: $0) }) {
        index += sign.count
        tokens.append(Token(sign))
      } else if character == "\"" || character == "'" {
        guard let end = characters[(start + 1)...].firstIndex(of: character) else {
          throw ArgumentError(String(characters[start...]), "has no second quote")
        }
        index = end + 1
        tokens.append(Token(String(characters[(start + 1)..<end]), isQuoted: true))
      } else {
        while index < characters.count, !Self.isEnd(characters[index]) { index += 1 }
        tokens.append(Token(String(characters[start..<index])))
      }
    }
  }

  private static func isEnd(_ character: Character) -> Bool {
    character.isWhitespace || "()<>=!\"'≤≥≠".contains(character)
  }
}

/// Parses a condition: `or` joins less than `and`, and `not` belongs to what follows it.
struct FieldConditionParser {
  private let tokens: [ConditionTokens.Token]
  private var position = 0
  /// The number of parentheses and `not` operators around the current position.
  private var depth = 0
  /// The word of the first comparison with a second bound.
  private(set) var second: String?

  private static let mostDepth = 64
  private static let words = ["and", "or", "not", "until", "for"]

  init(_ tokens: ConditionTokens) { self.tokens = tokens.tokens }

  /// The rest, which must be a condition to the end.
  mutating func whole() throws(ArgumentError) -> FieldCondition {
    let condition = try condition()
    try requireEnd()
    return condition
  }

  /// Throws if there is more.
  func requireEnd() throws(ArgumentError) {
    guard let next else { return }
    let isUnit = !"()".contains(next.text) && tokens.dropFirst(position + 1).first?.isSign != true
    if isUnit, position > 0, DecimalNumber(tokens[position - 1].text) != nil {
      throw ArgumentError(
        next.text,
        "is not expected here: the number has the unit of its field; join comparisons with 'and' or 'or'")
    }
    throw ArgumentError(next.text, "is not expected here; join comparisons with 'and' or 'or'")
  }

  /// A condition, as long as it is one.
  mutating func condition() throws(ArgumentError) -> FieldCondition {
    var parts = [try conjunction()]
    while take("or") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(ArgumentError) -> FieldCondition {
    var parts = [try term()]
    while take("and") { parts.append(try term()) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func term() throws(ArgumentError) -> FieldCondition {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.mostDepth { throw ArgumentError("(", "is nested too deeply") }
    if take("not") { return .negated(try term()) }
    guard take("(") else { return .comparison(try comparison()) }
    let inner = try condition()
    guard take(")") else { throw ArgumentError(next?.text ?? "(", "needs a ')' after it") }
    return inner
  }

  private mutating func comparison() throws(ArgumentError) -> FieldComparison {
    guard let name = next else {
      let last = tokens.last?.text
      guard let last else { throw ArgumentError("", "is not a condition, such as temperature_celsius > 25") }
      throw ArgumentError(last, "needs a comparison behind it, such as temperature_celsius > 25")
    }
    if name.isSign {
      throw ArgumentError(
        name.text, "needs the name of a field before it, such as temperature_celsius > 25")
    }
    guard name.isName, !Self.words.contains(name.text) else {
      throw ArgumentError(name.text, "is not the name of a field")
    }
    position += 1
    let condition = try condition(of: name.text)
    guard let until = next, take("until") else { return FieldComparison(name.text, condition) }
    second = second ?? until.text
    let end = try self.condition(of: until.text)
    if let problem = condition.overlap(with: end) {
      throw ArgumentError(name.text, "cannot begin and end at once: both bounds hold for \(problem)")
    }
    return FieldComparison(name.text, condition, until: end)
  }

  /// A sign with its operand, or a range; `subject` is the word before it.
  private mutating func condition(of subject: String) throws(ArgumentError) -> ValueCondition {
    guard let token = next else {
      // The shell takes a bare > and what follows it.
      let quotes = tokens.count == 1 ? ", all in one pair of quotes" : ""
      throw ArgumentError(subject, "needs a comparison behind it, such as '> 25' or '20..25'\(quotes)")
    }
    position += 1
    if token.isSign {
      guard let operand = next, operand.isQuoted || !"()".contains(operand.text) else {
        throw ArgumentError(token.text, "needs a value behind it")
      }
      position += 1
      return try ValueCondition(token.text, operand.text)
    }
    if !token.isQuoted, let match = token.text.wholeMatch(of: /(\S+?)\.\.(\S+)/) {
      return try ValueCondition(from: match.1, to: match.2)
    }
    throw ArgumentError(subject, "needs a comparison behind it, such as '> 25' or '20..25'")
  }

  // MARK: Words

  var next: ConditionTokens.Token? { position < tokens.count ? tokens[position] : nil }

  /// Goes past a word, if it is the next one.
  mutating func take(_ word: ConditionTokens.Token) -> Bool {
    guard next == word else { return false }
    position += 1
    return true
  }

  /// Goes past the next word, whatever it is.
  mutating func takeAny() -> ConditionTokens.Token? {
    defer { position += 1 }
    return next
  }
}

extension ValueCondition {
  /// A number for which both conditions hold; nil if there is none.
  fileprivate func overlap(with other: ValueCondition) -> String? {
    let bounds = [self, other].flatMap(\.bounds)
    let between = zip(bounds.sorted(), bounds.sorted().dropFirst()).map { ($0 + $1) / 2 }
    let outside = [(bounds.min() ?? 0) - 1, (bounds.max() ?? 0) + 1]
    let common = (bounds + between + outside).first { holds("\($0)") && other.holds("\($0)") }
    return common.map { $0 == $0.rounded() && abs($0) < 1e15 ? "\(Int($0))" : "\($0)" }
  }

  private var bounds: [Double] {
    switch self {
    case .ordered(_, let bound): [bound]
    case .within(let low, let high): [low, high]
    case .equal(let text), .unequal(let text): Double(text).map { [$0] } ?? []
    }
  }
}
