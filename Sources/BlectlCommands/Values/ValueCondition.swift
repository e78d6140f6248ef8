// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// A condition on a decoded number or text: `> 40`, `= wrist`, `100..200`.
enum ValueCondition: Sendable, Hashable {
  enum Order: String, Sendable {
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
  }

  case ordered(Order, Double)
  case equal(String)
  case unequal(String)
  /// Both bounds belong to it.
  case within(Double, Double)

  /// The condition of a comparison.
  init(_ sign: String, _ operand: String) throws(ArgumentError) {
    if operand.isEmpty { throw ArgumentError(sign, "needs a value behind it") }
    switch sign {
    case "=", "==": self = .equal(operand)
    case "!=": self = .unequal(operand)
    default:
      guard let order = Order(rawValue: sign), let number = Self.number(operand) else {
        throw ArgumentError(operand, "is not a number")
      }
      self = .ordered(order, number)
    }
  }

  /// The condition of a range.
  init(from first: some StringProtocol, to last: some StringProtocol) throws(ArgumentError) {
    guard let low = Self.number(first) else { throw ArgumentError(first, "is not a number") }
    guard let high = Self.number(last) else { throw ArgumentError(last, "is not a number") }
    if low > high { throw ArgumentError("\(first)..\(last)", "is empty; the smaller number comes first") }
    self = .within(low, high)
  }

  private static func number(_ text: some StringProtocol) -> Double? {
    DecimalNumber(text).flatMap { Double("\($0)") }
  }

  /// Whether only numbers can satisfy it.
  var needsNumber: Bool {
    switch self {
    case .ordered, .within: true
    case .equal, .unequal: false
    }
  }

  /// Whether the text of a value satisfies it.
  func holds(_ text: String) -> Bool {
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

  /// Texts are equal, or numbers: `36.60` equals `36.6`.
  private static func isEqual(_ text: String, _ wanted: String) -> Bool {
    if text == wanted { return true }
    // Long integers are not equal because their nearest real numbers are.
    if let left = Int128(text), let right = Int128(wanted) { return left == right }
    guard let left = number(text), let right = number(wanted) else { return false }
    return left == right
  }
}
