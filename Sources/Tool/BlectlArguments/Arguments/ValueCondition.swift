// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

/// A condition on a decoded number or text: `> 40`, `= wrist`, `100..200`.
package enum ValueCondition: Sendable, Hashable {
  package enum Order: String, Sendable {
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
  }

  case ordered(Order, Double)
  case equal(String)
  case unequal(String)
  /// Includes both bounds.
  case within(Double, Double)

  /// Other spellings of signs, which mean nothing else.
  static let synonyms = ["=<": "<=", "=>": ">=", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="]

  package init(_ sign: String, _ operand: String) throws(ArgumentError) {
    if operand.isEmpty { throw ArgumentError(sign, "needs a value behind it") }
    let sign = Self.synonyms[sign] ?? sign
    switch sign {
    case "=", "==": self = .equal(operand)
    case "!=": self = .unequal(operand)
    default:
      guard let order = Order(rawValue: sign), let number = Self.number(operand) else {
        throw Self.noNumber(operand)
      }
      self = .ordered(order, number)
    }
  }

  package init(from first: some StringProtocol, to last: some StringProtocol) throws(ArgumentError) {
    guard let low = Self.number(first) else { throw Self.noNumber(first) }
    guard let high = Self.number(last) else { throw Self.noNumber(last) }
    if low > high { throw ArgumentError("\(first)..\(last)", "is empty; the smaller number comes first") }
    self = .within(low, high)
  }

  /// Returns the error if no value, or every value, of a format satisfies the condition; nil if it makes
  /// sense.
  package func problem(with format: ValueFormat) -> ArgumentError? {
    guard format.numberSize != nil else { return nil }
    var bounds: [Double] = []
    switch self {
    case .ordered(_, let bound): bounds = [bound]
    case .within(let low, let high): bounds = [low, high]
    case .equal(let text), .unequal(let text):
      if case .integer(let integer) = format, let number = Int128(text) {
        return integer.range.contains(number) ? nil : Self.misfit(text, integer)
      }
      guard let number = Self.number(text) else {
        // Floating-point formats have values that are words, such as nan.
        guard case .integer = format else { return nil }
        return Self.noNumber(text)
      }
      bounds = [number]
    }
    guard case .integer(let integer) = format else { return nil }
    let limits = Double(integer.range.lowerBound)...Double(integer.range.upperBound)
    return bounds.first { !limits.contains($0) }.map { bound in
      Self.misfit(bound == bound.rounded() && abs(bound) < 1e18 ? "\(Int(bound))" : "\(bound)", integer)
    }
  }

  /// Returns the error if no value, or every value, of a field satisfies the condition; nil if it makes
  /// sense.
  package func problem(with field: String, _ values: FieldValues) -> ArgumentError? {
    switch self {
    case .ordered, .within:
      return values.hasOrder ? nil : ArgumentError(field, "has no order: it is \(values)")
    case .equal(let text), .unequal(let text):
      if values.contains(text) { return nil }
      let advice =
        Spelling.advice(for: text, among: values.words ?? [])
        ?? (values.hasOrder ? Self.bareNumber(text) : nil) ?? "it is \(values)"
      return ArgumentError(text, "is no value of \(field): \(advice)")
    }
  }

  private static func misfit(_ text: String, _ format: IntegerFormat) -> ArgumentError {
    let range = format.range
    return ArgumentError(
      text, "does not fit \(format.word), which holds \(range.lowerBound) to \(range.upperBound)")
  }

  private static func noNumber(_ text: some StringProtocol) -> ArgumentError {
    ArgumentError(text, "is not a number" + (bareNumber(text).map { "; \($0)" } ?? ""))
  }

  /// Advice about a number with a comma, or with a unit, which is that of the field; nil for other texts.
  private static func bareNumber(_ text: some StringProtocol) -> String? {
    let text = String(text)
    if text.wholeMatch(of: /[+-]?[0-9]+,[0-9]+/) != nil {
      return "write it with a point: \(text.replacing(",", with: "."))"
    }
    guard let match = text.wholeMatch(of: /([+-]?[0-9]+(?:\.[0-9]+)?)\s*[^0-9.\s].*/) else { return nil }
    return "write it without a unit, which the field has: \(match.1)"
  }

  private static func number(_ text: some StringProtocol) -> Double? {
    DecimalNumber(text).flatMap { Double("\($0)") }
  }

  var needsNumber: Bool {
    switch self {
    case .ordered, .within: true
    case .equal, .unequal: false
    }
  }

  /// Returns whether a decoded value satisfies it; of a list, one element.
  ///
  /// A state is `yes` or `no`, or as JSON has it.
  package func holds(_ value: DecodedValue) -> Bool {
    switch (self, value) {
    case (_, .list(let values)): values.contains { holds($0) }
    case (.equal(let wanted), .bool(let isTrue)): Self.words(isTrue).contains(wanted)
    case (.unequal(let wanted), .bool(let isTrue)): !Self.words(isTrue).contains(wanted)
    default: holds(value.text)
    }
  }

  private static func words(_ isTrue: Bool) -> [String] { isTrue ? ["yes", "true"] : ["no", "false"] }

  package func holds(_ text: String) -> Bool {
    switch self {
    case .equal(let wanted): return Self.isEqual(text, wanted)
    case .unequal(let wanted): return !Self.isEqual(text, wanted)
    case .within(let low, let high): return Self.number(text).map { low <= $0 && $0 <= high } ?? false
    case .ordered(let order, let bound):
      guard let number = Self.number(text) else { return false }
      switch order {
      case .less: return number < bound
      case .atMost: return number <= bound
      case .greater: return number > bound
      case .atLeast: return number >= bound
      }
    }
  }

  /// Texts or numbers are equal: `36.60` equals `36.6`.
  private static func isEqual(_ text: String, _ wanted: String) -> Bool {
    if text == wanted { return true }
    // Different long integers may have the same nearest real number.
    if let left = Int128(text), let right = Int128(wanted) { return left == right }
    guard let left = number(text), let right = number(wanted) else { return false }
    return left == right
  }
}
