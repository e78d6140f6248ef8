// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Form<AttributeUUID> {
  /// A UUID of 16, 32 or 128 bits, as the command line takes them, too.
  static let uuidPattern =
    "^((0[xX])?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{32}"
    + "|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}))$"

  static let service = uuid(of: .service, "a service such as \"heart-rate\"")
  static let characteristic = uuid(of: .characteristic, "a characteristic such as \"battery-level\"")
  static let descriptor = uuid(
    of: .descriptor, "a descriptor such as \"characteristic-user-description\"")

  /// A UUID, or the name that the Bluetooth SIG gave to one of a kind.
  private static func uuid(of kind: AssignedNumber.Kind, _ name: String) -> Form {
    let expected =
      "a UUID such as \"180d\" or \"b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa\", or the name of \(name)"
    // Every name has a letter that is no hexadecimal digit.
    let pattern = uuidPattern.dropLast(2) + "|.*[G-Zg-z].*)$"
    return Form(expected, .text(pattern: String(pattern), examples: [])) { node throws(JSONError) in
      guard let text = node.string, text.utf8.count <= 248 else { throw node.isNot(expected) }
      if let uuid = AttributeUUID(spelled: text) { return uuid }
      if let uuid = BluetoothUUID(name: text, kinds: [kind]),
        let found = AttributeUUID(parsing: uuid.longForm)
      {
        return found
      }
      let meant = AssignedNumbers.suggestions(for: text, kinds: [kind], limit: 1).first
      throw node.isNot(expected + (meant.map { " (did you mean \"\($0)\"?)" } ?? ""))
    } write: { uuid, json in
      json.value(uuid.shortText)
    }
  }
}

extension AttributeUUID {
  /// Reads any spelling that the command line takes: with `0x`, or 32 digits without dashes.
  fileprivate init?(spelled text: String) {
    guard let uuid = BluetoothUUID(text) else { return nil }
    self.init(parsing: uuid.longForm)
  }
}

extension Form<ServiceReference> {
  /// Another service, by its UUID or by its handle.
  static let service = Form(
    "the UUID, the name or the handle of a service of this peripheral",
    .any([Form<AttributeUUID>.service.schema, Form<UInt16>.handle.schema])
  ) { node throws(JSONError) in
    if node.string != nil { return .uuid(try Form<AttributeUUID>.service.read(node)) }
    return .handle(try Form<UInt16>.handle.read(node))
  } write: { reference, json in
    switch reference {
    case .uuid(let uuid): Form<AttributeUUID>.service.write(uuid, &json)
    case .handle(let handle): json.value(Int(handle))
    }
  }
}

extension Form<UInt16> {
  /// An attribute handle.
  static let handle = integer(1...0xFFFF)
}

extension Form<GATTProperties> {
  private static let name: Form<GATTProperties> = Choice(
    words: GATTProperties.names.map { ($0.name, $0.property) }
  ).form

  /// The properties of a characteristic by name.
  static let properties = name.list("an array of properties").map { names in
    names.reduce(into: GATTProperties()) { $0.formUnion($1) }
  } _: { properties in
    GATTProperties.names.map(\.property).filter { properties.contains($0) }
  }
}

extension Form<AttributeSecurity> {
  /// What the link must be.
  static let security = Choice<AttributeSecurity>(words: [
    ("none", .none), ("encrypted", .encrypted), ("authenticated", .authenticated),
  ]).form
}

extension Form<Set<AdvertisementSpec.Field>> {
  private static let field = Choice<AdvertisementSpec.Field>(words: [
    ("name", .name), ("services", .services),
  ]).form

  /// What stands in the scan response.
  static let scanResponse = field.list("an array of \"name\" and \"services\"").map {
    Set($0)
  } _: { fields in
    [.name, .services].filter { fields.contains($0) }
  }
}

extension Form<[AdvertisementSpec.ManufacturerData]> {
  /// Data by company identifier.
  static let manufacturerData = Form(
    "an object of data by company identifier, such as {\"0157\": \"0100c80f\"}",
    .dictionary(keys: "^[0-9A-Fa-f]{4}$", of: Form<[UInt8]>.data.schema)
  ) { node throws(JSONError) in
    var entries: [AdvertisementSpec.ManufacturerData] = []
    guard let members = node.members else { throw node.isNot("an object of data by company identifier") }
    var mistakes = JSONMistakes()
    for member in members {
      mistakes.collect { () throws(JSONError) in
        guard member.key.utf8.count == 4, let digits = Hex.bytes(member.key) else {
          throw member.isNot("a company identifier of four hexadecimal digits such as \"0157\"")
        }
        let company = UInt16(digits[0]) << 8 | UInt16(digits[1])
        if entries.contains(where: { $0.company == company }) {
          throw member.isNot("each company identifier once")
        }
        entries.append(.init(company: company, bytes: try Form<[UInt8]>.data.read(member.value)))
      }
    }
    try mistakes.rethrow()
    return entries
  } write: { entries, json in
    json.object { json in
      for entry in entries { json.field(hexadecimal(entry.company, digits: 4), hex: entry.bytes) }
    }
  }
}

extension Form<[AdvertisementSpec.ServiceData]> {
  /// Data by service.
  static let serviceData = Form(
    "an object of data by UUID, such as {\"feaa\": \"10ee03\"}",
    .dictionary(keys: Form<AttributeUUID>.uuidPattern, of: Form<[UInt8]>.data.schema)
  ) { node throws(JSONError) in
    var entries: [AdvertisementSpec.ServiceData] = []
    guard let members = node.members else { throw node.isNot("an object of data by UUID") }
    var mistakes = JSONMistakes()
    for member in members {
      mistakes.collect { () throws(JSONError) in
        guard let uuid = AttributeUUID(spelled: member.key) else {
          throw member.isNot("a UUID such as \"feaa\"")
        }
        if entries.contains(where: { $0.service == uuid }) { throw member.isNot("each UUID once") }
        entries.append(.init(service: uuid, bytes: try Form<[UInt8]>.data.read(member.value)))
      }
    }
    try mistakes.rethrow()
    return entries
  } write: { entries, json in
    json.object { json in
      for entry in entries { json.field(entry.service.shortText, hex: entry.bytes) }
    }
  }
}

extension JSONMember {
  /// That the key should have been something else.
  fileprivate func isNot(_ expected: String) -> JSONError {
    JSONError(place, value.pointer, "expected \(expected), found \(JSONText.quoted(key))")
  }
}
