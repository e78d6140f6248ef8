// SPDX-License-Identifier: MIT
package import BLEFormats

/// The handles of a GATT server: services in order from handle 1, and their characteristics with declaration,
/// value and descriptors, the client configuration last; numbering continues after a fixed handle.
package struct AttributeLayout {
  package struct Service {
    package let handle: UInt16
    package let spec: ServiceSpec
    package var includes: [UInt16]
    package var characteristics: [Characteristic]
    package var uuid: BluetoothUUID { spec.uuid }

    package init(
      handle: UInt16, spec: ServiceSpec, includes: [UInt16] = [], characteristics: [Characteristic] = []
    ) {
      (self.handle, self.spec, self.includes) = (handle, spec, includes)
      self.characteristics = characteristics
    }
  }

  package struct Characteristic {
    /// The handle of the declaration; the value has the next one.
    package let handle: UInt16
    package let spec: CharacteristicSpec
    package var descriptors: [Descriptor]
    package var valueHandle: UInt16 { handle &+ 1 }

    package init(handle: UInt16, spec: CharacteristicSpec, descriptors: [Descriptor] = []) {
      (self.handle, self.spec, self.descriptors) = (handle, spec, descriptors)
    }
  }

  package struct Descriptor {
    package let handle: UInt16
    package let spec: DescriptorSpec

    package init(handle: UInt16, spec: DescriptorSpec) { (self.handle, self.spec) = (handle, spec) }
  }

  package static let genericAccess = BluetoothUUID(0x1800)
  package static let genericAttribute = BluetoothUUID(0x1801)
  package static let clientConfiguration = BluetoothUUID(0x2902)

  package private(set) var services: [Service] = []
  private(set) var next = 1

  package init(_ spec: PeripheralSpec) {
    let common = AttributeLayout.common(of: spec)
    let own = spec.allServices
    let isCommonFirst = own.isEmpty || AttributeLayout.firstHandle(of: spec) > 1
    for service in isCommonFirst ? common + own : own + common { place(service) }
    for index in services.indices {
      services[index].includes = services[index].spec.includes.compactMap { self.handle(of: $0) }
    }
  }

  /// Creates the layout of services that have their handles.
  package init(_ services: [Service]) { self.services = services }

  /// Returns the value handle of the first characteristic with a UUID.
  package func valueHandle(of uuid: BluetoothUUID) -> UInt16? {
    services.lazy.flatMap(\.characteristics).first { $0.spec.uuid == uuid }?.valueHandle
  }

  /// Returns whether both have the same attributes with the same handles, whatever their values.
  package func hasAttributes(of other: AttributeLayout) -> Bool {
    services.elementsEqual(other.services) { one, other in
      one.handle == other.handle && one.uuid == other.uuid && one.hasAttributes(of: other)
    }
  }

  // MARK: Placing

  private mutating func place(_ service: ServiceSpec) {
    var placed = Service(handle: take(service.handle), spec: service)
    next += service.includes.count  // each a declaration of its own
    for characteristic in service.characteristics {
      var entry = Characteristic(handle: take(characteristic.handle), spec: characteristic)
      _ = take(nil)
      for descriptor in AttributeLayout.descriptors(of: characteristic) {
        entry.descriptors.append(Descriptor(handle: take(descriptor.handle), spec: descriptor))
      }
      placed.characteristics.append(entry)
    }
    services.append(placed)
  }

  private mutating func take(_ fixed: UInt16?) -> UInt16 {
    let handle = fixed.map { Int($0) } ?? next
    next = handle + 1
    return UInt16(truncatingIfNeeded: handle)
  }

  /// Returns the descriptors, with a client configuration if one is needed.
  private static func descriptors(of characteristic: CharacteristicSpec) -> [DescriptorSpec] {
    var configuration = DescriptorSpec(clientConfiguration, value: [0, 0], isWritable: true)
    configuration.security = characteristic.security
    var isListed = false
    var descriptors = characteristic.descriptors.map { descriptor in
      guard descriptor.uuid == clientConfiguration else { return descriptor }
      isListed = true
      configuration.handle = descriptor.handle
      return configuration
    }
    if !isListed, characteristic.properties.isSubscribable { descriptors.append(configuration) }
    return descriptors
  }

  private func handle(of reference: ServiceReference) -> UInt16? {
    switch reference {
    case .uuid(let uuid): services.first { $0.uuid == uuid }?.handle
    case .handle(let handle): services.contains { $0.handle == handle } ? handle : nil
    }
  }

  /// Returns the number of requests in bluetoothd's discovery: MTU, database hash and services; unless those
  /// are cached, also their characteristics, and the descriptors one by one.
  package func requestCount(areServicesKnown: Bool) -> Int {
    guard !areServicesKnown else { return 6 }
    return 8 + services.flatMap(\.characteristics).count { !$0.descriptors.isEmpty }
  }

  // MARK: Common services

  /// Returns the first handle for the device's own services.
  ///
  /// The common services come last if a fixed handle leaves no space before it.
  package static func firstHandle(of spec: PeripheralSpec) -> Int {
    let room = size(of: common(of: spec)) + 1
    return spec.services.first?.handle.map { Int($0) >= room ? room : 1 } ?? room
  }

  private static func size(of services: [ServiceSpec]) -> Int {
    services.reduce(0) { sum, service in
      sum + 1 + service.characteristics.reduce(0) { $0 + 2 + descriptors(of: $1).count }
    }
  }

  /// Returns Generic Access, and Generic Attribute if the device has it.
  private static func common(of spec: PeripheralSpec) -> [ServiceSpec] {
    let appearance = spec.advertisement.appearance ?? 0
    var services = [
      ServiceSpec(
        genericAccess,
        [
          CharacteristicSpec(BluetoothUUID(0x2A00), 0x02, value: Array((spec.advertisement.name ?? "").utf8)),
          CharacteristicSpec(
            BluetoothUUID(0x2A01), 0x02, value: [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]),
        ])
    ]
    if spec.hasGenericAttribute {
      services.append(
        ServiceSpec(genericAttribute, [CharacteristicSpec(BluetoothUUID(0x2A05), 0x20, value: [])]))
    }
    return services.filter { service in !spec.services.contains { $0.uuid == service.uuid } }
  }
}

extension AttributeLayout.Service {
  /// Returns whether both have the same attributes with the same handles.
  package func hasAttributes(of other: AttributeLayout.Service) -> Bool {
    characteristics.elementsEqual(other.characteristics) { one, other in
      one.handle == other.handle && one.spec.uuid == other.spec.uuid
        && one.spec.properties == other.spec.properties
        && one.descriptors.map(\.handle) == other.descriptors.map(\.handle)
    }
  }
}
