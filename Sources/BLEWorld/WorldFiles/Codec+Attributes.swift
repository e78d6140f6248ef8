// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Codec<ServiceReference> {
  /// A service, by its UUID, its name or its handle.
  static let service = Codec(
    "the UUID, the name or the handle of a service of this peripheral",
    .any([Codec<BluetoothUUID>.service.schema, Codec<UInt16>.handle.schema])
  ) { node throws(JSONError) in
    if node.string != nil { return .uuid(try Codec<BluetoothUUID>.service.read(node)) }
    return .handle(try Codec<UInt16>.handle.read(node))
  } write: { reference, json in
    switch reference {
    case .uuid(let uuid): Codec<BluetoothUUID>.service.write(uuid, &json)
    case .handle(let handle): json.value(Int(handle))
    }
  }
}

extension Codec<UInt16> {
  static let handle = integer(1...0xFFFF)
}

extension Codec<GATTProperties> {
  private static let name: Codec<GATTProperties> = OneOf(
    words: GATTProperties.names.map { ($0.name, $0.property) }
  ).codec

  static let properties = name.list("an array of properties").map { names in
    names.reduce(into: GATTProperties()) { $0.formUnion($1) }
  } _: { properties in
    GATTProperties.names.map(\.property).filter { properties.contains($0) }
  }
}

extension Codec<AttributeSecurity> {
  static let security = OneOf<AttributeSecurity>(words: [
    ("none", .none), ("encrypted", .encrypted), ("authenticated", .authenticated),
    ("secure-connections", .secureConnections),
  ]).codec
}

extension Codec<Set<AdvertisementSpec.ScanResponseField>> {
  private static let field = OneOf<AdvertisementSpec.ScanResponseField>(words: [
    ("name", .name), ("services", .services),
  ]).codec

  static let scanResponse = field.list("an array of \"name\" and \"services\"").map {
    Set($0)
  } _: { fields in
    [.name, .services].filter { fields.contains($0) }
  }
}

extension Codec<[AdvertisementSpec.ManufacturerData]> {
  static let manufacturerData = Codec(
    "an object of data by company identifier, such as {\"0157\": \"0100c80f\"}",
    .dictionary(keys: "^[0-9A-Fa-f]{4}$", of: Codec<[UInt8]>.data.schema)
  ) { node throws(JSONError) in
    var entries: [AdvertisementSpec.ManufacturerData] = []
    guard let members = node.members else { throw node.mismatch("an object of data by company identifier") }
    var mistakes = JSONMistakes()
    for member in members {
      mistakes.collect { () throws(JSONError) in
        guard member.key.utf8.count == 4, let digits = Hex.bytes(member.key) else {
          throw member.mismatch("a company identifier of four hexadecimal digits such as \"0157\"")
        }
        let company = UInt16(digits[0]) << 8 | UInt16(digits[1])
        if entries.contains(where: { $0.company == company }) {
          throw member.mismatch("each company identifier once")
        }
        entries.append(.init(company: company, bytes: try Codec<[UInt8]>.data.read(member.value)))
      }
    }
    try mistakes.rethrow()
    return entries
  } write: { entries, json in
    json.object { json in
      for entry in entries { json.field(entry.company.fourDigits, hex: entry.bytes) }
    }
  }
}

extension Codec<[AdvertisementSpec.ServiceData]> {
  static let serviceData = Codec(
    "an object of data by UUID, such as {\"feaa\": \"10ee03\"}",
    .dictionary(keys: Codec<BluetoothUUID>.uuidPattern, of: Codec<[UInt8]>.data.schema)
  ) { node throws(JSONError) in
    var entries: [AdvertisementSpec.ServiceData] = []
    guard let members = node.members else { throw node.mismatch("an object of data by UUID") }
    var mistakes = JSONMistakes()
    for member in members {
      mistakes.collect { () throws(JSONError) in
        guard let uuid = BluetoothUUID(member.key) else {
          throw member.mismatch("a UUID such as \"feaa\"")
        }
        if entries.contains(where: { $0.service == uuid }) { throw member.mismatch("each UUID once") }
        entries.append(.init(service: uuid, bytes: try Codec<[UInt8]>.data.read(member.value)))
      }
    }
    try mistakes.rethrow()
    return entries
  } write: { entries, json in
    json.object { json in
      for entry in entries { json.field(entry.service.description, hex: entry.bytes) }
    }
  }
}

extension JSONMember {
  fileprivate func mismatch(_ expected: String) -> JSONError {
    JSONError(place, value.pointer, "expected \(expected), found \(JSONText.quoted(key))")
  }
}
