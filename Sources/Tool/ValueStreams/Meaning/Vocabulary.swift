// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

/// The names and the layouts of values that this process knows: those of profiles, and those that are published.
package struct Vocabulary: Sendable {
  package let profiles: Profiles

  package init(_ profiles: Profiles = Profiles()) { self.profiles = profiles }

  // MARK: Meaning

  /// The layout of the values of an attribute; nil if none is known.
  package func layout(of attribute: AttributeIdentity) -> ValueLayout? {
    let (uuid, service, device) = (attribute.uuid, attribute.service, attribute.device)
    let layout =
      attribute.isDescriptor
      ? profiles.layout(forDescriptor: uuid, service: service, device: device)
      : profiles.layout(for: uuid, service: service, device: device)
    return layout ?? likelyEntry(for: attribute)?.layout
  }

  /// The name of a service; for a UUID that was bought, perhaps only that of the buyer.
  package func name(ofService uuid: BluetoothUUID) -> String? { profiles.name(ofService: uuid) }

  /// The name of a service; nil if there is only that of the buyer of its UUID.
  package func ownName(ofService uuid: BluetoothUUID) -> String? {
    let bought = AssignedNumbers.assigned(uuid).first
    let name = profiles.name(ofService: uuid)
    return name == bought?.name && bought?.kind != .service ? nil : name
  }

  /// The name of a characteristic or a descriptor.
  package func name(of attribute: AttributeIdentity) -> String? {
    let (uuid, service, device) = (attribute.uuid, attribute.service, attribute.device)
    let name =
      attribute.isDescriptor
      ? profiles.name(ofDescriptor: uuid, service: service, device: device)
      : profiles.name(ofCharacteristic: uuid, service: service, device: device)
    return name ?? likelyEntry(for: attribute)?.name
  }

  /// The name of characteristics with a UUID for messages: that of profiles, or else the word that the user typed; nil if
  /// there is none, or several.
  package func ownName(ofCharacteristic uuid: BluetoothUUID) -> String? {
    let names = profiles.isEmpty ? [] : Set(profiles.characteristics(with: uuid).map(\.name))
    return names.count == 1 ? names.first : TypedNames.name(of: uuid)
  }

  /// ``ownName(ofCharacteristic:)``, or else the UUID.
  package func title(ofCharacteristic uuid: BluetoothUUID) -> String {
    ownName(ofCharacteristic: uuid) ?? "\(uuid)"
  }

  /// The only entry that may be meant, where the words of a command line do not say which service or device it is.
  private func likelyEntry(for attribute: AttributeIdentity) -> ProfileCharacteristic? {
    guard !attribute.isFound, !profiles.isEmpty else { return nil }
    let entries =
      attribute.isDescriptor
      ? profiles.descriptors(with: attribute.uuid) : profiles.characteristics(with: attribute.uuid)
    let likely = entries.filter { entry in
      entry.service == nil || attribute.service == nil || entry.service == attribute.service
    }
    return likely.count == 1 ? likely[0] : nil
  }

  // MARK: Names

  /// The UUIDs with a whole name: those of profiles, or else the published ones.
  package func uuids(named name: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [BluetoothUUID] {
    let own = kinds.flatMap { ownUUIDs(named: name, $0) }
    if !own.isEmpty { return own }
    if let uuid = BluetoothUUID(name: name, kinds: kinds) { return [uuid] }
    return AssignedNumbers.named(name, kinds: kinds).compactMap(\.uuid)
  }

  /// The types of advertised data: those of profiles, then the others.
  package var advertisedTypes: [String] {
    profiles.profiles.flatMap { $0.advertisements.map(\.type) } + AdvertisedFormats.types
  }

  /// The UUIDs to which profiles give a whole name.
  package func ownUUIDs(named name: some StringProtocol, _ kind: AssignedNumber.Kind) -> [BluetoothUUID] {
    switch kind {
    case .service: profiles.services(named: name)
    case .characteristic: profiles.characteristics(named: name)
    case .descriptor: profiles.descriptors(named: name)
    default: []
    }
  }

  /// Returns the kind and the UUID for a whole name, of whatever kind.
  package func kind(named name: some StringProtocol) -> (kind: AssignedNumber.Kind, uuid: BluetoothUUID)? {
    for kind in Vocabulary.ownKinds {
      if let uuid = ownUUIDs(named: name, kind).first { return (kind, uuid) }
    }
    for number in AssignedNumbers.named(name) {
      if let uuid = number.uuid { return (number.kind, uuid) }
    }
    return nil
  }

  private static let ownKinds: [AssignedNumber.Kind] = [.characteristic, .descriptor, .service]

  /// The names of profiles, in the form that needs no quotes.
  package func ownNames(_ kinds: [AssignedNumber.Kind]) -> [(name: String, kind: AssignedNumber.Kind)] {
    guard !profiles.isEmpty else { return [] }
    return Vocabulary.ownKinds.filter(kinds.contains).flatMap { kind in
      profiles.ownNames(kind).map { (AssignedNumbers.hyphenated($0), kind) }
    }
  }

  /// Names that begin with a text, in the form that needs no quotes: those of profiles come first.
  package func names(
    beginning text: String, _ kinds: [AssignedNumber.Kind]
  ) -> [(name: String, kind: AssignedNumber.Kind)] {
    let published = AssignedNumbers.containing(text, kinds: kinds).map {
      (name: AssignedNumbers.hyphenated($0.name), kind: $0.kind)
    }
    return (ownNames(kinds) + published).filter { $0.name.hasPrefix(text.lowercased()) }
  }

  /// Names that a misspelt one may mean, or that contain it, the likeliest first: those of profiles.
  package func suggestions(for text: some StringProtocol, kinds: [AssignedNumber.Kind]) -> [String] {
    let own = ownNames(kinds).map(\.name)
    let part = AssignedNumbers.hyphenated(text)
    let whole = part.utf8.count > 1 ? own.filter { $0.contains(part) } : []
    let likely =
      whole.filter { $0.hasPrefix(part) } + whole + Spelling.candidates(for: String(text), among: own)
      + AssignedNumbers.suggestions(for: text, kinds: kinds)
    var names: [String] = []
    for name in likely
    where names.count < 3 && !names.contains(name) && (!own.contains(name) || isUsable(name)) {
      names.append(name)
    }
    return names

    // The file of a name may have mistakes, which are only found now, and so be ignored.
    func isUsable(_ name: String) -> Bool { !uuids(named: name, kinds: kinds).isEmpty }
  }
}
