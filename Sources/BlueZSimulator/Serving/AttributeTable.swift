// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The attributes of an adapter by their handles: the daemon's own, and those of applications behind them.
struct AttributeTable {
  /// Where the value of an attribute comes from.
  enum Source {
    /// The daemon.
    case daemon(() -> [UInt8])
    /// The daemon: the client configuration of a characteristic.
    case configuration(ApplicationAttribute?)
    /// A client.
    case application(ApplicationAttribute)
  }

  /// The services of an application, and the objects at which they were found.
  struct Placed {
    fileprivate(set) var handles: ClosedRange<Int>
    fileprivate(set) var attributes: [ApplicationAttribute] = []
  }

  private(set) var services: [AttributeLayout.Service] = []
  private(set) var sources: [UInt16: Source] = [:]
  /// The highest handle ever used: automatic handles never go back.
  private var last = 0

  var layout: AttributeLayout { AttributeLayout(services.sorted { $0.handle < $1.handle }) }

  // MARK: The daemon's services

  /// Adds a service of the daemon.
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

  /// Places the services of an application.
  ///
  /// - Returns: what was placed, to remove it later; nil if a fixed handle is taken, and then nothing has changed.
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
    // A fixed handle is that of the value.
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

  /// Removes what was placed.
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

  /// A fixed handle behind all others, or the next one; nil if the fixed one is taken.
  private mutating func take(_ fixed: UInt16?) -> UInt16? {
    guard let fixed else { return take() }
    guard fixed > last else { return nil }
    last = Int(fixed)
    return fixed
  }
}
