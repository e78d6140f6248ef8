// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// The services that a client has registered together, as it describes them: without handles.
struct Application {
  /// A service.
  struct Service {
    let path: String
    let uuid: BluetoothUUID
    let isPrimary: Bool
    let includes: [String]
    let handle: UInt16?
    var characteristics: [Characteristic] = []
  }

  /// A characteristic.
  struct Characteristic {
    let path: String
    let handle: UInt16?
    let attribute: ApplicationAttribute
    var descriptors: [ApplicationAttribute] = []
  }

  private static let invalid = BlueZError.failed("No valid service object found")
  static let impossible = BlueZError.failed("Failed to create entry in database")

  let object: ClientObject
  /// The services, in the order in which the client has sent them; so are their parts.
  private(set) var services: [Service] = []

  /// Parses the answer of GetManagedObjects.
  init(_ object: ClientObject, _ objects: DBusValue?) throws(BlueZError) {
    self.object = object
    guard case .dictionary(_, _, let entries) = objects, !entries.isEmpty else {
      throw .failed("No object received")
    }
    // The order within each kind counts, that of the kinds does not.
    for (path, properties) in Application.objects(BlueZName.gattService, entries) {
      try addService(path, properties)
    }
    guard !services.isEmpty else { throw Application.invalid }
    for (path, properties) in Application.objects(BlueZName.gattCharacteristic, entries) {
      try addCharacteristic(path, properties)
    }
    for (path, properties) in Application.objects(BlueZName.gattDescriptor, entries) {
      try addDescriptor(path, properties)
    }
  }

  private static func objects(
    _ interface: String, _ entries: [DBusValue.Entry]
  ) -> [(path: String, properties: DBusValue)] {
    entries.compactMap { entry in
      guard let path = entry.key.text, let properties = entry.value[interface] else { return nil }
      return (path, properties)
    }
  }

  private mutating func addService(_ path: String, _ properties: DBusValue) throws(BlueZError) {
    guard !services.contains(where: { $0.path == path }) else { throw Application.invalid }
    guard case .boolean(let isPrimary) = properties["Primary"] else { throw Application.impossible }
    var includes: [String] = []
    if case .array(_, let paths) = properties["Includes"] { includes = paths.compactMap(\.text) }
    services.append(
      Service(
        path: path, uuid: try Application.uuid(properties), isPrimary: isPrimary, includes: includes,
        handle: Application.handle(properties)))
  }

  private mutating func addCharacteristic(_ path: String, _ properties: DBusValue) throws(BlueZError) {
    guard case .objectPath(let owner) = properties["Service"],
      let index = services.firstIndex(where: { $0.path == owner }),
      let flags = Application.flags(properties, ofDescriptor: false)
    else { throw Application.invalid }
    let attribute = ApplicationAttribute(
      ClientObject(object.client, path), BlueZName.gattCharacteristic, try Application.uuid(properties),
      flags,
      properties)
    services[index].characteristics.append(
      Characteristic(path: path, handle: Application.handle(properties), attribute: attribute))
  }

  private mutating func addDescriptor(_ path: String, _ properties: DBusValue) throws(BlueZError) {
    guard case .objectPath(let owner) = properties["Characteristic"],
      let flags = Application.flags(properties, ofDescriptor: true)
    else { throw Application.invalid }
    let attribute = ApplicationAttribute(
      ClientObject(object.client, path), BlueZName.gattDescriptor, try Application.uuid(properties), flags,
      properties)
    for service in services.indices {
      for characteristic in services[service].characteristics.indices
      where services[service].characteristics[characteristic].path == owner {
        return services[service].characteristics[characteristic].descriptors.append(attribute)
      }
    }
    throw Application.invalid
  }

  private static func uuid(_ properties: DBusValue) throws(BlueZError) -> BluetoothUUID {
    guard let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID(bluez: $0) }),
      ![0x1800, 0x1801].contains(uuid.shortForm)
    else { throw impossible }
    return uuid
  }

  private static func flags(_ properties: DBusValue, ofDescriptor isDescriptor: Bool) -> AttributeFlags? {
    guard case .array(of: "s", let flags) = properties["Flags"] else { return nil }
    return AttributeFlags(flags.compactMap(\.text), ofDescriptor: isDescriptor)
  }

  private static func handle(_ properties: DBusValue) -> UInt16? {
    guard case .uint16(let handle) = properties["Handle"], handle > 0 else { return nil }
    return handle
  }
}
