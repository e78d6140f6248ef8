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
  /// The value as text, without a unit; `yes` and `no` for Booleans.
  public var text: String {
    switch self {
    case .integer(let number): String(number)
    case .decimal(let number): number.description
    case .text(let text): text
    case .bool(let isTrue): isTrue ? "yes" : "no"
    case .bytes(let bytes): Hex.string(bytes)
    case .list(let values): values.map(\.text).joined(separator: values.allSatisfy(\.isNumeric) ? " " : ", ")
    case .fields(let fields): "{\(fields.text)}"
    }
  }

  /// Whether a unit can follow it; words such as `unknown` have none.
  var isNumeric: Bool {
    switch self {
    case .integer, .decimal: true
    case .list(let values): values.contains(where: \.isNumeric)
    case .text, .bool, .bytes, .fields: false
    }
  }
}
