// SPDX-License-Identifier: MIT

extension Peripheral {
  /// The services of the connected device, with their characteristics and descriptors, by handle.
  ///
  /// BlueZ has discovered them when the device was connected; nothing is sent over the air.
  ///
  /// - Parameter uuids: only services with one of these; empty gives all.
  /// - Returns: the tree. Services that BlueZ keeps for itself (1800, 1812 …) are not in it.
  /// - Throws: ``BLEError`` with code `disconnected` or `notFound`.
  public func discoverServices(_ uuids: [BluetoothUUID] = []) async throws(BLEError) -> [GATTService] {
    try await central.discoverServices(self, uuids)
  }

  /// All characteristics of the connected device with a UUID, by handle.
  ///
  /// - Parameters:
  ///   - uuid: the characteristic's.
  ///   - service: the service's; nil looks in all.
  /// - Returns: none, one or several.
  /// - Throws: ``BLEError`` with code `disconnected` or `notFound`.
  public func characteristics(
    _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
  ) async throws(BLEError) -> [GATTCharacteristic] {
    try await discoverServices(service.map { [$0] } ?? []).flatMap(\.characteristics).filter {
      $0.uuid == uuid
    }
  }

  /// The characteristic with a UUID.
  ///
  /// - Parameters:
  ///   - uuid: the characteristic's.
  ///   - service: the service's; nil looks in all.
  /// - Returns: the first by handle, when there are several.
  /// - Throws: ``BLEError`` with code `notFound` when it has none; `disconnected`.
  public func characteristic(
    _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
  ) async throws(BLEError) -> GATTCharacteristic {
    if let found = try await characteristics(uuid, in: service).first { return found }
    throw BLEError(
      .notFound, operation: "find \(uuid) on \(address)", message: "the device has no such characteristic")
  }
}

extension CentralManager {
  func discoverServices(
    _ peripheral: Peripheral, _ uuids: [BluetoothUUID]
  ) async throws(BLEError) -> [GATTService] {
    let operation = Operation("list the services of \(peripheral.address)", until: .never)
    try await deviceSession(peripheral.path).requireLink(operation, in: self)
    let services = tree(of: peripheral.path)
    return uuids.isEmpty ? services : services.filter { uuids.contains($0.uuid) }
  }

  /// The services of a device, built from the model by the objects' own references.
  func tree(of devicePath: String) -> [GATTService] {
    let services = model.services.values.filter { $0.devicePath == devicePath }
    guard !services.isEmpty else { return [] }
    let servicePaths = Set(services.map(\.path))
    let characteristics = Dictionary(
      grouping: model.characteristics.values.filter { servicePaths.contains($0.servicePath) },
      by: \.servicePath)
    let characteristicPaths = Set(characteristics.values.joined().map(\.path))
    let descriptors = Dictionary(
      grouping: model.descriptors.values.filter { characteristicPaths.contains($0.characteristicPath) },
      by: \.characteristicPath)
    return services.compactMap { service -> GATTService? in
      guard let uuid = service.uuid else { return nil }
      return GATTService(
        path: service.path, uuid: uuid, handle: handle(service.handle, service.path),
        isPrimary: service.isPrimary, includedServices: service.includes.map { handle(nil, $0) },
        characteristics: (characteristics[service.path] ?? []).compactMap {
          characteristic($0, devicePath, uuid, descriptors[$0.path] ?? [])
        }.sorted { ($0.handle, $0.path) < ($1.handle, $1.path) })
    }.sorted { ($0.handle, $0.path) < ($1.handle, $1.path) }
  }

  /// The characteristic with a path; nil when it, its service or a UUID is not known.
  func characteristic(at path: String) -> GATTCharacteristic? {
    guard let record = model.characteristics[path], let service = model.services[record.servicePath],
      let uuid = service.uuid
    else { return nil }
    let descriptors = model.descriptors.values.filter { $0.characteristicPath == path }
    return characteristic(record, service.devicePath, uuid, descriptors)
  }

  private func characteristic(
    _ record: CharacteristicState, _ devicePath: String, _ service: BluetoothUUID,
    _ descriptors: [DescriptorState]
  ) -> GATTCharacteristic? {
    guard let uuid = record.uuid else { return nil }
    return GATTCharacteristic(
      path: record.path, devicePath: devicePath, uuid: uuid, service: service,
      handle: handle(record.handle, record.path), properties: record.properties,
      mtu: record.mtu.map { Int($0) },
      descriptors: descriptors.compactMap { descriptor in
        descriptor.uuid.map {
          GATTDescriptor(
            path: descriptor.path, devicePath: devicePath, uuid: $0,
            handle: handle(descriptor.handle, descriptor.path))
        }
      }.sorted { ($0.handle, $0.path) < ($1.handle, $1.path) })
  }

  private func handle(_ known: UInt16?, _ path: String) -> UInt16 { known ?? BlueZ.handle(ofPath: path) ?? 0 }
}
