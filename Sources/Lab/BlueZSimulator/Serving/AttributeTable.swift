// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// The attributes of an adapter by their handles: the daemon's own, then those of applications.
struct AttributeTable {
  enum Source {
    case daemon(() -> [UInt8])
    /// The daemon's: the client configuration of a characteristic.
    case configuration(ApplicationAttribute?)
    case application(ApplicationAttribute)
  }

  /// The services of an application, as they were placed.
  struct Placed {
    fileprivate(set) var handles: ClosedRange<Int>
    fileprivate(set) var attributes: [ApplicationAttribute] = []
  }

  private(set) var services: [AttributeLayout.Service] = []
  private(set) var sources: [UInt16: Source] = [:]
  /// The highest handle ever used: automatic handles are never reused.
  private var last = 0

  var layout: AttributeLayout { AttributeLayout(services.sorted { $0.handle < $1.handle }) }

  // MARK: The daemon's services

  mutating func add(
    _ uuid: UInt32, _ characteristics: [(uuid: UInt32, properties: GATTProperties, value: () -> [UInt8])]
  ) {
    var service = AttributeLayout.Service(handle: take(), spec: ServiceSpec(BluetoothUUID(uuid), []))
    for (uuid, properties, value) in characteristics {
      let handle = take()
      sources[take()] = .daemon(value)
      var entry = AttributeLayout.Characteristic(
        handle: handle, spec: CharacteristicSpec(BluetoothUUID(uuid), properties))
      if properties.isSubscribable {
        let configuration = take()
        sources[configuration] = .configuration(nil)
        entry.descriptors.append(
          AttributeTable.descriptor(AttributeLayout.clientConfiguration, configuration))
      }
      service.characteristics.append(entry)
    }
    services.append(service)
  }

  // MARK: Applications

  /// Places the services of an application; returns nil, without a change, if a fixed handle is taken.
  mutating func add(_ application: Application) -> Placed? {
    var table = self
    var attributes: [ApplicationAttribute] = []
    var handles: [String: UInt16] = [:]
    var first = Int.max
    for service in application.services {
      guard let placed = table.place(service, handles) else { return nil }
      handles[service.path] = placed.service.handle
      first = min(first, Int(placed.service.handle))
      attributes += placed.attributes
    }
    guard table.last <= UInt16.max else { return nil }
    self = table
    return Placed(handles: first...last, attributes: attributes)
  }

  private mutating func place(
    _ service: Application.Service, _ known: [String: UInt16]
  ) -> (service: AttributeLayout.Service, attributes: [ApplicationAttribute])? {
    guard let handle = take(service.handle) else { return nil }
    last += service.includes.count  // each a declaration of its own
    var placed = AttributeLayout.Service(
      handle: handle, spec: ServiceSpec(service.uuid, [], isPrimary: service.isPrimary),
      includes: service.includes.compactMap { known[$0] })
    var attributes: [ApplicationAttribute] = []
    for characteristic in service.characteristics {
      guard let entry = place(characteristic) else { return nil }
      placed.characteristics.append(entry)
      attributes += [characteristic.attribute] + characteristic.descriptors
    }
    services.append(placed)
    return (placed, attributes)
  }

  private mutating func place(_ characteristic: Application.Characteristic) -> AttributeLayout.Characteristic?
  {
    let attribute = characteristic.attribute
    // A client fixes the handle of the value.
    guard let handle = take(characteristic.handle.map { $0 &- 1 }) else { return nil }
    attribute.handle = take()
    sources[attribute.handle] = .application(attribute)
    var entry = AttributeLayout.Characteristic(
      handle: handle, spec: CharacteristicSpec(attribute.uuid, attribute.flags.properties))
    if attribute.flags.properties.isSubscribable {
      let configuration = take()
      sources[configuration] = .configuration(attribute)
      entry.descriptors.append(AttributeTable.descriptor(AttributeLayout.clientConfiguration, configuration))
    }
    if attribute.flags.extendedBits != 0 {
      let (extended, bits) = (take(), attribute.flags.extendedBits)
      sources[extended] = .daemon { [bits, 0] }
      entry.descriptors.append(AttributeTable.descriptor(BluetoothUUID(0x2900), extended, value: [bits, 0]))
    }
    for descriptor in characteristic.descriptors {
      descriptor.handle = take()
      sources[descriptor.handle] = .application(descriptor)
      entry.descriptors.append(AttributeTable.descriptor(descriptor.uuid, descriptor.handle))
    }
    // RemoteCharacteristic reads the bits of 2900 from the description.
    var spec = entry.spec
    spec.descriptors = entry.descriptors.map(\.spec)
    return AttributeLayout.Characteristic(handle: handle, spec: spec, descriptors: entry.descriptors)
  }

  mutating func remove(_ placed: Placed) {
    services.removeAll { placed.handles.contains(Int($0.handle)) }
    sources = sources.filter { !placed.handles.contains(Int($0.key)) }
  }

  // MARK: Handles

  private static func descriptor(
    _ uuid: BluetoothUUID, _ handle: UInt16, value: [UInt8] = []
  ) -> AttributeLayout.Descriptor {
    AttributeLayout.Descriptor(handle: handle, spec: DescriptorSpec(uuid, value: value))
  }

  private mutating func take() -> UInt16 {
    last += 1
    return UInt16(truncatingIfNeeded: last)
  }

  /// Returns the fixed handle, or the next one; nil if the fixed one is not above all others.
  private mutating func take(_ fixed: UInt16?) -> UInt16? {
    guard let fixed else { return take() }
    guard fixed > last else { return nil }
    last = Int(fixed)
    return fixed
  }
}

/// The permissions in the `Flags` of an application's attribute.
struct AttributeFlags {
  private(set) var properties: GATTProperties = []
  /// The bits of descriptor 2900, which the daemon adds.
  private(set) var extendedBits: UInt8 = 0
  private(set) var canRead = false
  private(set) var canWrite = false
  private(set) var readSecurity = AttributeSecurity.none
  private(set) var writeSecurity = AttributeSecurity.none
  private(set) var subscribeSecurity = AttributeSecurity.none
  /// True if the daemon asks the application before it prepares a write of an untrusted device.
  private(set) var isAuthorized = false

  /// True if it may be part of a prepared write of several runs.
  var isReliable: Bool { extendedBits & 1 != 0 }

  /// Fails for an unknown flag, and without flags.
  init?(_ flags: [String], ofDescriptor isDescriptor: Bool) {
    guard !flags.isEmpty else { return nil }
    for flag in flags {
      guard add(flag, ofDescriptor: isDescriptor) else { return nil }
    }
  }

  private mutating func add(_ flag: String, ofDescriptor isDescriptor: Bool) -> Bool {
    if let property = GATTProperties.names.first(where: { $0.name == flag })?.property {
      guard !isDescriptor || property == .read || property == .write else { return false }
      properties.insert(property)
      canRead = canRead || property == .read
      canWrite = canWrite || [.write, .writeWithoutResponse, .signedWrite].contains(property)
      return true
    }
    switch flag {
    case "encrypt-read": addRead(.encrypted)
    case "encrypt-authenticated-read": addRead(.authenticated)
    case "secure-read": addRead(.secureConnections)
    case "encrypt-write": addWrite(.encrypted)
    case "encrypt-authenticated-write": addWrite(.authenticated)
    case "secure-write": addWrite(.secureConnections)
    case "authorize": isAuthorized = true
    default: return !isDescriptor && addOfCharacteristic(flag)
    }
    return true
  }

  private mutating func addOfCharacteristic(_ flag: String) -> Bool {
    switch flag {
    case "reliable-write":
      addExtended(1)
      canWrite = true
    case "writable-auxiliaries": addExtended(2)
    case "encrypt-notify": addSubscription(.notify, .encrypted)
    case "encrypt-indicate": addSubscription(.indicate, .encrypted)
    case "encrypt-authenticated-notify": addSubscription(.notify, .authenticated)
    case "secure-notify": addSubscription(.notify, .secureConnections)
    case "encrypt-authenticated-indicate": addSubscription(.indicate, .authenticated)
    case "secure-indicate": addSubscription(.indicate, .secureConnections)
    default: return false
    }
    return true
  }

  private mutating func addExtended(_ bit: UInt8) {
    properties.insert(.extended)
    extendedBits |= bit
  }

  private mutating func addRead(_ security: AttributeSecurity) {
    properties.insert(.read)
    canRead = true
    readSecurity = max(readSecurity, security)
  }

  private mutating func addWrite(_ security: AttributeSecurity) {
    properties.insert(.write)
    canWrite = true
    writeSecurity = max(writeSecurity, security)
  }

  private mutating func addSubscription(_ property: GATTProperties, _ security: AttributeSecurity) {
    properties.insert(property)
    subscribeSecurity = max(subscribeSecurity, security)
  }

  private func max(_ one: AttributeSecurity, _ other: AttributeSecurity) -> AttributeSecurity {
    let order = AttributeSecurity.allCases
    return (order.firstIndex(of: one) ?? 0) < (order.firstIndex(of: other) ?? 0) ? other : one
  }
}
