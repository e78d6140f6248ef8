// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

/// The names of the fields that values can have, which conditions may use.
package struct FieldNames: Sendable {
  private let fields: [KnownField]
  /// Advice on finding the names, if no similar one is known.
  private let advice: String
  /// True if a number behind a key makes another one: advertised formats number what a device has several
  /// times.
  private let areNumbered: Bool

  private init(_ fields: [KnownField], areNumbered: Bool, advice: String) {
    self.fields = KnownField.merged(fields)
    (self.areNumbered, self.advice) = (areNumbered, advice)
  }

  /// The names in values of which each has one of some meanings.
  package init(of meanings: [ValueMeaning]) {
    let fields = meanings.flatMap(\.knownFields)
    let keys = fields.map(\.key).joined(separator: ", ")
    self.init(fields, areNumbered: false, advice: "the fields are \(keys)")
  }

  /// The names in advertised data of some types, or of any type.
  package init(advertised types: Set<String>, in vocabulary: Vocabulary = .known) {
    let own = vocabulary.profiles.profiles.flatMap(\.advertisements)
      .filter { types.isEmpty || types.contains($0.type) }.flatMap(\.layout.knownFields)
    let published = AdvertisedFormats.types.filter { types.isEmpty || types.contains($0) }
      .flatMap { AdvertisedFormats.fields(of: $0) }
    self.init(
      own + published + ValueAdvertisement.packetFields, areNumbered: true,
      advice: "'blectl listen --json' shows the fields")
  }

  /// The names in any value of which a format is known.
  package init(known vocabulary: Vocabulary) {
    let standard = ValueLayout.numbers.compactMap { ValueLayout(for: BluetoothUUID(short: $0)) }
    let advertised = FieldNames(advertised: [], in: vocabulary)
    let fields =
      (vocabulary.layouts + standard).flatMap(\.knownFields) + ValueMeaning.plainFields + advertised.fields
    self.init(fields, areNumbered: true, advice: "--as gives fields to values of an unknown format")
  }

  /// The types of the fields by their keys; a key that formats use for several types is a number, or else a text.
  package var kinds: [String: FieldKind] { Self.kinds(of: fields) }

  /// The types of all fields of which a format is known.
  package static func kinds(in vocabulary: Vocabulary) -> [String: FieldKind] {
    let standard = ValueLayout.numbers.compactMap { ValueLayout(for: BluetoothUUID(short: $0)) }
    let published =
      ValueMeaning.plainFields + standard.flatMap(\.knownFields)
      + AdvertisedFormats.types.flatMap(AdvertisedFormats.fields)
    let own = vocabulary.layouts.flatMap(\.knownFields)
    // Those of profiles come second: what others already have in a database does not depend on a profile.
    return kinds(of: own).merging(kinds(of: published + ValueAdvertisement.packetFields)) { $1 }
  }

  private static func kinds(of fields: [KnownField]) -> [String: FieldKind] {
    let order: [FieldKind] = [.number, .text, .flag]
    return fields.reduce(into: [:]) { kinds, field in
      kinds[field.key] = order.first { $0 == field.kind || $0 == kinds[field.key] }
    }
  }

  /// The values that the field with a name can have; any, if it is not known.
  package func values(of name: String) -> FieldValues {
    let named = fields.filter { $0.key == name || $0.alias == name || isNumbered(name, $0.key) }.map(\.values)
    return named.dropFirst().reduce(named.first ?? .any) { $0.union($1) }
  }

  /// Returns the problem, with advice, if a name is not that of one field; nil otherwise.
  package func problem(with name: String) -> String? {
    if fields.contains(where: { $0.key == name || isNumbered(name, $0.key) }) { return nil }
    let named = fields.filter { $0.alias == name }.map(\.key)
    switch named.count {
    case 1: return nil
    case 0:
      let near = Spelling.candidates(
        for: name, among: fields.flatMap { [$0.key, $0.alias].compactMap(\.self) })
      var keys: [String] = []
      for field in fields where near.contains(field.key) || field.alias.map(near.contains) ?? false {
        keys.append(field.key)
      }
      return "is not a field of these values; \(Spelling.question(keys.prefix(3)) ?? advice)"
    default: return "may be any of several fields: use \(named.joined(separator: " or "))"
    }
  }

  private func isNumbered(_ name: String, _ key: String) -> Bool {
    if areNumbered, AdvertisedFormats.isUnknownObject(name) { return true }
    guard areNumbered, name.hasPrefix("\(key)_"), let number = Int(name.dropFirst(key.count + 1)) else {
      return false
    }
    return number > 1 && "\(key)_\(number)" == name
  }
}

extension Vocabulary {
  /// The layouts of profiles.
  fileprivate var layouts: [ValueLayout] {
    profiles.profiles.flatMap { profile in
      (profile.characteristics + profile.descriptors).compactMap(\.layout)
        + profile.advertisements.map(\.layout)
    }
  }
}
