// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// The services that a client registers together, as it describes them: without handles.
struct Application {
  struct Service {
    let path: String
    let uuid: BluetoothUUID
    let isPrimary: Bool
    let includes: [String]
    let handle: UInt16?
    var characteristics: [Characteristic] = []
  }

  struct Characteristic {
    let path: String
    let handle: UInt16?
    let attribute: ApplicationAttribute
    var descriptors: [ApplicationAttribute] = []
  }

  private static let invalid = BlueZError.failed("No valid service object found")
  static let impossible = BlueZError.failed("Failed to create entry in database")

  let object: ClientObject
  /// In the order in which the client sent them, like their parts.
  private(set) var services: [Service] = []

  init(_ object: ClientObject, _ objects: DBusValue?) throws(BlueZError) {
    self.object = object
    guard case .dictionary(_, _, let entries) = objects, !entries.isEmpty else {
      throw .failed("No object received")
    }
    // The order within each kind matters, that of the kinds does not.
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

/// A characteristic or descriptor that a client registered; the daemon asks the client for its value.
final class ApplicationAttribute {
  let object: ClientObject
  let interface: String
  let uuid: BluetoothUUID
  let flags: AttributeFlags
  var handle: UInt16 = 0
  /// True if the client wants to learn the handle.
  let wantsHandle: Bool
  /// True if the client returns a socket for notifications.
  let hasNotifySocket: Bool
  /// By the addresses of the centrals: 1 for notifications, 2 for indications.
  private var configurations: [String: UInt8] = [:]
  /// The values that wait for the confirmation of an indication, by link.
  var indications: [ObjectIdentifier: [[UInt8]]] = [:]
  /// The links whose central has subscribed by an address that it has no more.
  var lostSubscribers: Set<ObjectIdentifier> = []
  /// The sockets on which the client sends notifications: one for all centrals, or one for each.
  var notifySockets: [NotifySocket.Audience: NotifySocket] = [:]

  init(
    _ object: ClientObject, _ interface: String, _ uuid: BluetoothUUID, _ flags: AttributeFlags,
    _ properties: DBusValue
  ) {
    self.object = object
    self.interface = interface
    self.uuid = uuid
    self.flags = flags
    wantsHandle = properties["Handle"] == .uint16(0)
    hasNotifySocket = properties["NotifyAcquired"] != nil
  }

  // MARK: Subscriptions

  var isSubscribed: Bool { !configurations.isEmpty }

  func configuration(of link: any PeripheralLink) -> UInt8 { configurations[link.central.address] ?? 0 }

  func configure(_ value: UInt8, for link: any PeripheralLink) {
    configurations[link.central.address] = value == 0 ? nil : value
    if value != 2 { indications[ObjectIdentifier(link)] = nil }
  }

  // MARK: Calls

  func message(_ method: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: method, of: interface, at: object.path, to: object.client, body)
  }
}

extension ATTErrorCode {
  /// Creates the code to which the daemon maps a client's error.
  init(_ error: DBusError, isRead: Bool) {
    self.init(code: ATTErrorCode.code(error, isRead: isRead))
  }

  private static func code(_ error: DBusError, isRead: Bool) -> UInt8 {
    let prefix = "org.bluez.Error."
    // The client has left the bus.
    if error.name == ErrorName.noReply, error.origin == .reply { return 0x06 }
    guard error.origin == .reply, error.name.hasPrefix(prefix) else { return 0x0E }
    switch error.name.dropFirst(prefix.count) {
    case "Failed": return failed(error.message)
    case "NotSupported": return 0x06
    case "NotAuthorized": return 0x08
    case "InvalidValueLength": return 0x0D
    case "InvalidOffset": return 0x07
    case "InProgress": return 0xFE
    case "NotPermitted": return isRead ? 0x02 : 0x03
    default: return 0x0E
    }
  }

  /// Parses the text as a number in any notation of C.
  private static func failed(_ text: String) -> UInt8 {
    guard !text.isEmpty else { return 0x0E }
    let lower = text.lowercased()
    let number =
      lower.hasPrefix("0x")
      ? Int(lower.dropFirst(2), radix: 16) : Int(lower, radix: lower.hasPrefix("0") ? 8 : 10)
    guard let number else { return 0x80 }
    return (0x80...0x9F).contains(number) ? UInt8(number) : 0x0E
  }
}
