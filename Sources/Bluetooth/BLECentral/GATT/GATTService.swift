// SPDX-License-Identifier: MIT
internal import BlueZClient

/// A service of a connected device; `org.bluez.GattService1`, CoreBluetooth's `CBService`.
public struct GATTService: Sendable, Hashable, Identifiable {
  let path: String
  /// Identifies the service on its device, even among services with the same UUID.
  public var id: String { path }
  /// The service's UUID.
  public let uuid: BluetoothUUID
  /// The attribute handle of its declaration; 0 when BlueZ does not provide it.
  public let handle: UInt16
  /// True if it is a primary service.
  public let isPrimary: Bool
  /// The handles of its included services.
  public let includedServices: [UInt16]
  /// Its characteristics, by handle.
  public let characteristics: [GATTCharacteristic]
}

/// Builds the services of devices from the references between the model's objects.
struct GATTTree {
  let model: ObjectModel

  func hasServices(_ devicePath: String) -> Bool {
    model.services.values.contains { $0.devicePath == devicePath && $0.uuid != nil }
  }

  /// Returns the paths of a device's services and characteristics, with the properties of these; empty while BlueZ discovers
  /// services.
  func shape(of devicePath: String) -> [String: CharacteristicProperties] {
    guard model.devices[devicePath]?.isResolved == true else { return [:] }
    var shape: [String: CharacteristicProperties] = [:]
    for service in model.services.values where service.devicePath == devicePath { shape[service.path] = [] }
    for characteristic in model.characteristics(of: devicePath) {
      shape[characteristic.path] = characteristic.properties
    }
    return shape
  }

  /// Returns the services of a device, with their characteristics and descriptors, by handle.
  func services(of devicePath: String) -> [GATTService] {
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

  /// Returns the characteristic at a path; nil when it, its service or a UUID is unknown.
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
