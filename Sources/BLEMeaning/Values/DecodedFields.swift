// SPDX-License-Identifier: MIT

/// What some bytes mean: named values in a fixed order, and what could not be understood.
///
/// A key is in snake_case with the unit at its end where there is one: `heart_rate_bpm`,
/// `temperature_celsius`. What is not known is a word in place of the number (`unknown`, `NaN`); what the bytes
/// do not have is not there at all.
///
/// ```swift
/// var fields = DecodedFields()
/// fields.add("heart_rate_bpm", 79, unit: "bpm")
/// fields.add("sensor_contact", .bool(true), label: "contact")
/// fields.text                                          // "79 bpm, contact yes"
/// ```
public struct DecodedFields: Sendable, Hashable {
  /// One value, its key for programs, and what people read with it.
  public struct Field: Sendable, Hashable {
    /// The key in JSON.
    public var key: String
    /// What the value is.
    public var value: DecodedValue
    /// What stands before the value in text; empty where the value speaks for itself.
    public var label: String
    /// The symbol that stands behind the value in text; empty if there is none.
    public var unit: String
    /// The value and its unit in text, where they are to look different from ``value`` and ``unit``.
    public var shownAs: String?
    /// Whether text shows milliseconds as seconds, with three decimals.
    public var isShownInSeconds = false
    /// Whether text leaves the field out, because another one tells of it.
    public var isHidden = false
  }

  /// The values, in the order in which they are shown.
  public var fields: [Field] = []

  /// What is wrong with the bytes, each as a short sentence: `2 bytes missing for energy_expended_kj`.
  public var problems: [String] = []

  /// The bytes at the end that belong to no field.
  public var rest: [UInt8] = []

  /// No values yet.
  public init() {}

  /// Whether every byte was understood, and was as it has to be.
  public var isComplete: Bool { problems.isEmpty && rest.isEmpty }

  /// Adds a value at the end.
  ///
  /// - Parameters:
  ///   - key: in snake_case, with the unit at its end.
  ///   - value: the value.
  ///   - label: what stands before it in text.
  ///   - unit: the symbol of its unit, for text.
  ///   - shownAs: the text of value and unit, where it is not made from those two.
  public mutating func add(
    _ key: String, _ value: DecodedValue, label: String = "", unit: String = "", shownAs: String? = nil
  ) {
    fields.append(Field(key: key, value: value, label: label, unit: unit, shownAs: shownAs))
  }

  /// The value of a key, or nil.
  public subscript(key: String) -> DecodedValue? {
    fields.first { $0.key == key }?.value
  }
}

/// One value that was decoded.
public enum DecodedValue: Sendable, Hashable {
  /// A whole number.
  case integer(Int)
  /// A number with all the digits that were sent: `36.60` stays so.
  case decimal(DecimalNumber)
  /// Text, or the name of a state; the text is not yet safe for a terminal.
  case text(String)
  /// True or false.
  case bool(Bool)
  /// Bytes without a meaning of their own; in hexadecimal digits.
  case bytes([UInt8])
  /// Several of a kind.
  case list([DecodedValue])
  /// Values with keys of their own.
  case fields(DecodedFields)
}

extension DecodedValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
