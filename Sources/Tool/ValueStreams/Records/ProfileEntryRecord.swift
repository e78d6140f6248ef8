// SPDX-License-Identifier: MIT
package import BLEFormats
package import JSON
package import TerminalOutput

/// An entry of a profile, for `profile show`.
package struct ProfileEntryRecord: Record {
  /// The subject of the entry: `device`, `service`, `characteristic`, `descriptor` or `advertisement`.
  package let kind: String
  /// Its UUID, its company, its address or the name of its identity key.
  package let number: String
  package let name: String
  /// The service and the devices to which it is restricted.
  package let restrictions: [String]
  /// The keys of its values.
  package let keys: [String]
  /// The file.
  package let source: String

  private init(
    _ kind: String, _ number: String, _ name: String, _ source: String, keys: [String] = [],
    restrictions: [String?] = []
  ) {
    (self.kind, self.number, self.name, self.source, self.keys) = (kind, number, name, source, keys)
    self.restrictions = restrictions.compactMap(\.self)
  }

  /// All entries of a profile, in the order of its file.
  package static func all(of profile: Profile) -> [ProfileEntryRecord] {
    let source = profile.source
    func attribute(_ kind: String, _ entry: ProfileCharacteristic) -> ProfileEntryRecord {
      ProfileEntryRecord(
        kind, entry.uuid.description, entry.name, source, keys: entry.layout?.shownKeys ?? [],
        restrictions: [entry.service?.description, entry.device])
    }
    let devices = profile.devices.map {
      ProfileEntryRecord("device", $0.address?.description ?? $0.identity ?? "", $0.name, source)
    }
    let services = profile.services.map {
      ProfileEntryRecord("service", $0.uuid.description, $0.name, source)
    }
    let advertisements = profile.advertisements.map { entry in
      let sender =
        switch entry.sender {
        case .company(let company): company.fourDigits
        case .service(let uuid): uuid.description
        }
      let prefix = entry.prefix.isEmpty ? nil : "begins with \(Hex.string(entry.prefix))"
      return ProfileEntryRecord(
        "advertisement", sender, entry.name, source, keys: entry.layout.shownKeys,
        restrictions: [prefix, entry.device])
    }
    return devices + services + profile.characteristics.map { attribute("characteristic", $0) }
      + profile.descriptors.map { attribute("descriptor", $0) } + advertisements
  }

  package func write(to json: inout JSONWriter) {
    json.field("kind", kind)
    json.field("number", number)
    json.field("name", name)
    if !restrictions.isEmpty { json.field("only", restrictions) }
    if !keys.isEmpty { json.field("keys", keys) }
    json.field("file", source)
  }

  package static let table = TableLayout(columns: [
    .init(title: "KIND"), .init(title: "NUMBER"), .init(title: "NAME", isFlexible: true, leastWidth: 12),
    .init(title: "KEYS", isFlexible: true, leastWidth: 12), .init(title: "ONLY", isDispensable: true),
    .init(title: "FILE", isDispensable: true),
  ])

  /// The kind, the number, the name, the keys, the restrictions, the file.
  package var cells: [TableLayout.Cell] {
    [
      .init(kind), .init(number, style: .cyan), .init(name, style: .bold),
      .init(keys.joined(separator: " ")), .init(restrictions.joined(separator: ", ")),
      .init(source, style: .dim),
    ]
  }
}
