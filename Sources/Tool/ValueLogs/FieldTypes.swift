// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import ValueStreams

/// The types of decoded fields in an output that has one for each name.
///
/// Formats use some keys for values of several types, and words stand in the place of numbers: a value of another type than
/// that of its key gets the type behind its key, such as `state_text`.
struct FieldTypes: Sendable {
  /// A value, by a name that only values of its type have.
  typealias Field = (key: String, value: DecodedValue)

  /// By key: those of known formats, so that it does not matter which value comes first.
  private let known: [String: FieldKind]
  /// Those of other keys: the first value decides.
  private var others: [String: FieldKind] = [:]

  /// Strangers may send whatever they want.
  private static let mostOthers = 4096

  init(_ vocabulary: Vocabulary = .known) { known = FieldNames.kinds(in: vocabulary) }

  /// The type of a field's key.
  mutating func kind(of field: DecodedFields.Field) -> FieldKind {
    if let known = known[field.key] ?? known[Self.withoutNumber(field.key)] { return known }
    if let first = others[field.key] { return first }
    if others.count < Self.mostOthers { others[field.key] = field.kind }
    return field.kind
  }

  /// The field with its value under a key of the value's type; `kind` is that of its own key.
  static func typed(_ field: DecodedFields.Field, as kind: FieldKind) -> Field {
    let value = field.value.kind
    if value == kind { return (field.key, field.value) }
    // A number of 64 bits that `Int` cannot represent.
    if kind == .number, case .text(let text) = field.value, let number = DecimalNumber(text) {
      return (field.key, .decimal(number))
    }
    return ("\(field.key)_\(value.rawValue)", field.value)
  }

  /// The fields, each with a name of its own; `present` returns the types that the output already has, by key.
  mutating func typed(
    _ decoded: DecodedFields, present: (String) -> FieldKind? = { _ in nil }
  ) -> [Field] {
    var taken: Set<String> = []
    return decoded.fields.map { field in
      var typed = Self.typed(field, as: present(field.key) ?? kind(of: field))
      let key = typed.key
      var number = 2
      while !taken.insert(typed.key).inserted {
        typed.key = "\(key)_\(number)"
        number += 1
      }
      return typed
    }
  }

  /// The key of a field of which an advertisement has several: `temperature_celsius` for `temperature_celsius_2`.
  private static func withoutNumber(_ key: String) -> String {
    guard let end = key.lastIndex(of: "_"), let number = Int(key[key.index(after: end)...]), number > 1 else {
      return key
    }
    // The fields of a layout without names are numbered, too, and each has a type of its own.
    return key[..<end] == "value" ? key : String(key[..<end])
  }
}
