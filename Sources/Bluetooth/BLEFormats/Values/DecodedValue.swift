// SPDX-License-Identifier: MIT

/// A decoded value.
public enum DecodedValue: Sendable, Hashable {
  /// A whole number.
  case integer(Int)
  /// A number with all digits that were sent: `36.60` stays `36.60`.
  case decimal(DecimalNumber)
  /// Text, or the name of a state; not escaped for a terminal.
  case text(String)
  /// True or false.
  case bool(Bool)
  /// Bytes without further meaning; shown in hexadecimal.
  case bytes([UInt8])
  /// Several values of the same kind.
  case list([DecodedValue])
  /// Values with keys.
  case fields(DecodedFields)
}

extension DecodedValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  /// Creates a whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates true or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension DecodedValue {
  /// The value as a number; nil for another kind of value, also for words such as `unknown`.
  ///
  /// A `Double` holds about 16 digits; ``DecimalNumber`` has all that were sent.
  public var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .decimal(let number): Double(number.description)
    case .text, .bool, .bytes, .list, .fields: nil
    }
  }

  /// The value as text, without a unit; `yes` and `no` for Booleans.
  public var text: String {
    if case .text(let text) = self { return text }
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends ``text`` in UTF-8.
  func append(to text: inout [UInt8]) {
    switch self {
    case .integer(let number): text.append(number)
    case .decimal(let number): number.append(to: &text)
    case .text(let word): text.append(utf8: word)
    case .bool(let isTrue): text.append(utf8: isTrue ? "yes" : "no")
    case .bytes(let bytes): Hex.append(bytes, to: &text)
    case .list(let values):
      let separator = values.allSatisfy(\.isNumeric) ? " " : ", "
      for (index, value) in values.enumerated() {
        if index > 0 { text.append(utf8: separator) }
        value.append(to: &text)
      }
    case .fields(let fields):
      text.append(UInt8(ascii: "{"))
      fields.append(to: &text)
      text.append(UInt8(ascii: "}"))
    }
  }

  /// True if a unit can follow it; words such as `unknown` have none.
  var isNumeric: Bool {
    switch self {
    case .integer, .decimal: true
    case .list(let values): values.contains(where: \.isNumeric)
    case .text, .bool, .bytes, .fields: false
    }
  }
}
