// SPDX-License-Identifier: MIT

/// The types that the value of a field can have in outputs with typed columns.
package enum FieldKind: String, Sendable {
  case number
  /// Yes or no.
  case flag
  /// Anything else: a state, a list, bytes.
  case text
}

/// A field that the values of a format can have.
package struct KnownField: Sendable, Hashable {
  package let key: String
  package let kind: FieldKind
  /// The key without its unit, if that can be typed, too.
  package let alias: String?
  /// The values that it can have.
  package let values: FieldValues

  /// Creates a field of a published format.
  package init(_ key: String, _ kind: FieldKind, _ values: FieldValues? = nil) {
    self.init(key, kind, alias: UnitKey.withoutUnit(key), values)
  }

  init(_ key: String, _ kind: FieldKind, alias: String?, _ values: FieldValues? = nil) {
    (self.key, self.kind, self.alias, self.values) = (key, kind, alias, values ?? FieldValues(kind))
  }

  /// Each key once; one that is sometimes a number is a number, and its values are those of all.
  package static func merged(_ fields: [KnownField]) -> [KnownField] {
    var (places, merged): ([String: Int], [KnownField]) = ([:], [])
    for field in fields {
      guard let place = places[field.key] else {
        places[field.key] = merged.count
        merged.append(field)
        continue
      }
      let first = merged[place]
      merged[place] = KnownField(
        first.key, field.kind == .number ? .number : first.kind, alias: first.alias ?? field.alias,
        first.values.union(field.values))
    }
    return merged
  }
}

extension DecodedValue {
  /// The type of the value.
  package var kind: FieldKind {
    switch self {
    case .integer, .decimal: .number
    case .bool: .flag
    case .text, .bytes, .list, .fields: .text
    }
  }
}

extension DecodedFields.Field {
  /// The type of the field: a word with a unit stands in the place of a number.
  package var kind: FieldKind {
    if case .text = value, !unit.isEmpty { return .number }
    return value.kind
  }

  /// Returns whether a name means the field: its key, or its key without the unit.
  package func isNamed(_ name: String) -> Bool {
    if key == name { return true }
    guard key.hasPrefix(name) else { return false }
    return UnitKey.withoutUnit(key) == name || !unit.isEmpty && key == "\(name)_\(UnitKey.name(of: unit))"
  }
}

extension DecodedFields.Field {
  /// The key without its unit.
  package var quantity: String {
    let end = unit.isEmpty ? "" : "_\(UnitKey.name(of: unit))"
    if !end.isEmpty, key.hasSuffix(end), key.utf8.count > end.utf8.count {
      return String(key.dropLast(end.count))
    }
    return UnitKey.withoutUnit(key) ?? key
  }
}

extension DecodedFields {
  /// The names that have another meaning in the JSON of decoded values.
  package static let reservedKeys: Set<String> = ["rest", "problem"]

  /// The same in the JSON of advertised data.
  package static let reservedAdvertisedKeys: Set<String> =
    reservedKeys.union(["type", "decryption", "freshness", "rssi_dbm"])

  /// The field that a name means: that with the key, or else that with the key and a unit.
  package func field(named name: String) -> Field? {
    fields.first { $0.key == name } ?? fields.first { $0.isNamed(name) }
  }

  /// The same values, each with a key of its own, and none that is reserved; a number behind a key makes it so.
  package func withUniqueKeys(besides reserved: Set<String>) -> DecodedFields {
    var taken = reserved
    if fields.allSatisfy({ taken.insert($0.key).inserted }) { return self }
    var (unique, own) = (self, Set(fields.map(\.key)))
    taken = reserved
    for index in fields.indices where !taken.insert(fields[index].key).inserted {
      var number = 2
      while taken.contains("\(fields[index].key)_\(number)") || own.contains("\(fields[index].key)_\(number)")
      {
        number += 1
      }
      unique.fields[index].key += "_\(number)"
      own.insert(unique.fields[index].key)
    }
    return unique
  }
}

// MARK: Layouts

extension ValueLayout {
  /// The fields that its values can have, in the order of the bytes, without duplicates.
  package var knownFields: [KnownField] {
    let fields = KnownField.merged((parts + formerParts).filter { !$0.isUnused }.flatMap(\.knownFields))
    // In a layout of one's own, only a field with a unit has a name without it.
    return source == .own ? fields : fields.map { KnownField($0.key, $0.kind, $0.values) }
  }
}

extension LayoutPart {
  fileprivate var knownFields: [KnownField] {
    switch content {
    case .field(let field):
      let own = KnownField(field.key, field.kind.valueKind, alias: field.alias, field.kind.values)
      // The name of an appearance has a field of its own.
      if case .appearance = field.kind { return [own, KnownField("\(field.key)_name", .text, alias: nil)] }
      return [own]
    case .word(let word):
      return word.fields.map { KnownField($0.key, $0.kind.valueKind, alias: $0.alias, $0.kind.values) }
    }
  }
}

extension LayoutField.Kind {
  fileprivate var valueKind: FieldKind {
    switch self {
    case .number, .real, .exponentialTime, .appearance: .number
    case .choice(let choice, _): choice.valueKind
    case .numbers, .reals, .choices, .dateTime, .date, .dayCount, .unixTime, .text, .bytes, .base64,
      .hexNumber, .uuid, .unused, .unusedRest, .checksum, .shortUUIDs:
      .text
    }
  }
}

extension LayoutField.Kind {
  /// Of a list, those of its elements.
  fileprivate var values: FieldValues {
    switch self {
    case .number(let shape), .numbers(let shape, _): shape.fieldValues
    case .real(let shape), .reals(let shape, _): shape.fieldValues
    case .choice(let choice, _), .choices(let choice, _, _): choice.fieldValues
    case .appearance: .numbers
    case .exponentialTime, .dateTime, .date, .dayCount, .unixTime, .text, .bytes, .base64, .hexNumber, .uuid,
      .unused, .unusedRest, .checksum, .shortUUIDs:
      .any
    }
  }
}

extension BitField.Kind {
  fileprivate var values: FieldValues {
    switch self {
    case .number(let shape): shape.fieldValues
    case .choice(let choice): choice.fieldValues
    case .set(let names): .words(names.compactMap(\.self), numbered: ["bit"])
    }
  }

  fileprivate var valueKind: FieldKind {
    switch self {
    case .number: .number
    case .choice(let choice): choice.valueKind
    case .set: .text
    }
  }
}

extension Choice {
  /// A flag if each of its states is yes or no; the numbers between them are words all the same.
  var valueKind: FieldKind {
    let values = numbers.compactMap { value(of: $0) }
    return !values.isEmpty && values.allSatisfy { if case .bool = $0 { true } else { false } } ? .flag : .text
  }
}
