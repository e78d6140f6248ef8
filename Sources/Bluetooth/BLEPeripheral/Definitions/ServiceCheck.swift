// SPDX-License-Identifier: MIT

/// Finds faults for which BlueZ answers `Failed to create entry in database`, or serves something else.
struct ServiceCheck {
  /// Descriptors that BlueZ adds itself; a program's own copies would be served too, but would not work.
  private static let addedByBlueZ: [UInt32] = [0x2900, 0x2902]
  /// BlueZ's own services; it also refuses these UUIDs on characteristics.
  private static let ownedByBlueZ: [UInt32] = [0x1800, 0x1801]
  private static let attributeLimit = 65_535

  private let operation: Operation
  private var handles: Set<UInt16> = []
  private var checked: Set<LocalService.ID> = []

  init(_ operation: Operation) { self.operation = operation }

  /// - Throws: ``BLEError`` with code `invalidDefinition` and the fault.
  mutating func check(_ service: LocalService) throws(BLEError) {
    guard checked.insert(service.id).inserted else { return }
    let name = "service \(service.uuid)"
    try refuse(Self.ownedByBlueZ, service.uuid, "\(name): BlueZ has its own service with this UUID")
    try claim(service.handle, name)
    var count = 1 + service.includedServices.count
    for characteristic in service.characteristics {
      try check(characteristic, in: name)
      count += 4 + characteristic.descriptors.count
    }
    guard count <= Self.attributeLimit else { throw fault("\(name): too many attributes") }
    for included in service.includedServices { try check(included) }
  }

  private mutating func check(_ characteristic: LocalCharacteristic, in service: String) throws(BLEError) {
    let name = "\(service), characteristic \(characteristic.uuid)"
    try refuse(Self.ownedByBlueZ, characteristic.uuid, "\(name): BlueZ refuses this UUID")
    guard !characteristic.properties.isEmpty else { throw fault("\(name): it permits no operation") }
    if characteristic.updateTransport == .acquireNotify, !characteristic.properties.contains(.notify) {
      throw fault("\(name): AcquireNotify needs the property notify")
    }
    try checkLength(characteristic.value, name)
    try claim(characteristic.handle, name)
    for descriptor in characteristic.descriptors {
      let name = "\(name), descriptor \(descriptor.uuid)"
      try refuse(Self.addedByBlueZ, descriptor.uuid, "\(name): BlueZ adds it by itself")
      try checkLength(descriptor.value, name)
    }
  }

  private func refuse(_ numbers: [UInt32], _ uuid: BluetoothUUID, _ message: String) throws(BLEError) {
    if let number = uuid.shortForm, numbers.contains(number) { throw fault(message) }
  }

  private func checkLength(_ value: [UInt8], _ name: String) throws(BLEError) {
    guard value.count > LocalCharacteristic.maximumLength else { return }
    throw operation.error(
      .invalidLength,
      "\(name): its value has \(value.count) bytes, \(LocalCharacteristic.maximumLength) at most")
  }

  private mutating func claim(_ handle: UInt16?, _ name: String) throws(BLEError) {
    guard let handle else { return }
    guard handle > 0 else { throw fault("\(name): handles begin at 1") }
    guard handles.insert(handle).inserted else { throw fault("\(name): handle \(handle) is used twice") }
  }

  private func fault(_ message: String) -> BLEError { operation.error(.invalidDefinition, message) }
}
