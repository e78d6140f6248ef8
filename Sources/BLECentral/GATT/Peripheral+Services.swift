// SPDX-License-Identifier: MIT
internal import BlueZClient

extension Peripheral {
  /// The services of the connected device, with their characteristics and descriptors, by handle.
  ///
  /// BlueZ has discovered them when the device was connected; nothing is sent over the air.
  ///
  /// - Parameter uuids: only services with one of these; empty gives all.
  /// - Returns: the tree. Services that BlueZ keeps for itself (1800, 1812 …) are not in it.
  /// - Throws: ``BLEError`` with code `disconnected` or `notFound`.
  public func discoverServices(_ uuids: [BluetoothUUID] = []) async throws(BLEError) -> [GATTService] {
    let operation = Operation(.discoverServices(of: address), until: .never)
    let services = try await central.perform { [path] (central) throws(BLEError) in
      try await central.sessions.device(path).requireLink(operation, in: central)
      return GATTTree(model: central.model).services(of: path)
    }
    return uuids.isEmpty ? services : services.filter { uuids.contains($0.uuid) }
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
      .notFound, during: .find(uuid, on: address), "the device has no such characteristic")
  }
}
