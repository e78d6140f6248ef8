// SPDX-License-Identifier: MIT

/// A decoded value: named fields in a fixed order, and its problems.
///
/// A key is in snake_case, with the unit at its end: `heart_rate_bpm`, `temperature_celsius`. An unknown
/// number is a word (`unknown`, `NaN`). A field that is not in the bytes is absent.
///
/// ```swift
/// var fields = DecodedFields()
/// fields.add("heart_rate_bpm", 79, unit: "bpm")
/// fields.add("sensor_contact", .bool(true), label: "contact")
/// fields.text                                          // "79 bpm, contact yes"
/// ```
public struct DecodedFields: Sendable, Hashable {
  /// A value, its key for programs, and its presentation for people.
  public struct Field: Sendable, Hashable {
    /// The key in JSON.
    public var key: String
    /// The value.
    public var value: DecodedValue
    /// The label before the value in text; empty if the value needs none.
    public var label: String
    /// The symbol after the value in text; empty if there is none.
    public var unit: String
    /// The value with its unit in text, if it differs from ``value`` and ``unit``.
    public var shownAs: String?
    /// True if text shows milliseconds as seconds, with three decimals.
    public var isShownInSeconds = false
    /// True if text omits the field, because another field shows it.
    public var isHidden = false
  }

  /// The fields, in display order.
  public var fields: [Field] = []

  /// The problems of the bytes, each as a short sentence: `2 bytes missing for energy_expended_kj`.
  public var problems: [String] = []

  /// The bytes after the last field.
  public var rest: [UInt8] = []

  /// True if a checksum in the value is wrong, so that the fields may be anything.
  public var hasWrongChecksum = false

  /// The key of ``problems`` beside those of fields.
  package static let problemKey = "problem"
  /// The key of ``hasWrongChecksum`` beside those of fields.
  package static let wrongChecksumKey = "wrong_checksum"

  /// Creates an empty value.
  public init() {}

  /// True if every byte was decoded without problems.
  public var isComplete: Bool { problems.isEmpty && rest.isEmpty }

  /// Adds a field at the end; each parameter sets the field's property of its name.
  public mutating func add(
    _ key: String, _ value: DecodedValue, label: String = "", unit: String = "", shownAs: String? = nil
  ) { fields.append(Field(key: key, value: value, label: label, unit: unit, shownAs: shownAs)) }

  /// Adds a field at the end, with a number behind its key if the key stands already: `temperature_celsius_2`.
  mutating func addNumbered(_ field: consuming Field) {
    let key = field.key
    var number = 2
    while contains(field.key) {
      field.key = "\(key)_\(number)"
      number += 1
    }
    fields.append(field)
  }

  private func contains(_ key: String) -> Bool {
    // In place here and below: to iterate copies five texts of each.
    fields.withUnsafeBufferPointer { fields in fields.indices.contains { fields[$0].key == key } }
  }

  /// Returns the value of a key, or nil.
  public subscript(key: String) -> DecodedValue? { fields.first { $0.key == key }?.value }
}

extension DecodedFields {
  /// The values as text for people, `79 bpm, RR 0.977 s, contact yes`, with problems in parentheses.
  ///
  /// Texts from the air are not escaped for a terminal.
  public var text: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends ``text`` in UTF-8: parts of a `String` take three times as long, and a stream needs it for each value.
  package func append(to text: inout [UInt8]) {
    let start = text.count
    var parts = 0
    func begin(_ text: inout [UInt8]) {
      if parts > 0 {
        text.append(UInt8(ascii: ","))
        text.append(UInt8(ascii: " "))
      }
      parts += 1
    }
    fields.withUnsafeBufferPointer { fields in
      guard let first = fields.baseAddress else { return }
      for field in first..<first + fields.count where field.pointee.isShown {
        begin(&text)
        DecodedFields.append(field, to: &text)
      }
    }
    // Only empty lists: no bit is set.
    if parts == 0, !fields.isEmpty {
      begin(&text)
      text.append(utf8: "none")
    }
    if !rest.isEmpty {
      begin(&text)
      text.append(utf8: "rest ")
      Hex.append(rest, to: &text)
    }
    if problems.isEmpty { return }
    if text.count > start { text.append(utf8: " ") }
    text.append(utf8: "(\(problems.joined(separator: "; ")))")
  }

  /// Appends a field: its value with its label and its unit.
  ///
  /// By its address, so that only what is written is read: a call of a method would copy the field.
  private static func append(_ field: UnsafePointer<Field>, to text: inout [UInt8]) {
    if !field.pointee.label.isEmpty {
      text.append(utf8: field.pointee.label)
      text.append(UInt8(ascii: " "))
    }
    if let shownAs = field.pointee.shownAs {
      text.append(utf8: shownAs)
    } else if field.pointee.isShownInSeconds {
      text.append(utf8: field.pointee.seconds)
    } else {
      field.pointee.value.append(to: &text)
      if !field.pointee.unit.isEmpty, field.pointee.value.isNumeric {
        text.append(UInt8(ascii: " "))
        text.append(utf8: field.pointee.unit)
      }
    }
  }
}

extension DecodedFields.Field {
  /// True if text has the field; not for an empty list.
  package var isShown: Bool {
    if case .list(let values) = value, values.isEmpty { return false }
    return !isHidden
  }

  fileprivate var seconds: String {
    guard case .list(let values) = value else { return Self.seconds(value) + " s" }
    return values.map { Self.seconds($0) }.joined(separator: " ") + " s"
  }

  private static func seconds(_ value: DecodedValue) -> String {
    guard case .decimal(var number) = value else { return value.text }
    number.exponent -= 3
    return number.dropping(-3 - number.exponent).description
  }
}
