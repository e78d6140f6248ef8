// SPDX-License-Identifier: MIT
internal import BLEFormats
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
