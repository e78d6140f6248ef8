// SPDX-License-Identifier: MIT

extension Peripheral {
  /// Returns the services of the connected device, with their characteristics and descriptors, by handle.
  ///
  /// BlueZ discovered them when the device connected; this sends nothing over the air.
  ///
  /// - Parameter uuids: the services to return; empty returns all.
  /// - Returns: the services, without those that BlueZ reserves for itself (1800, 1812 …).
  /// - Throws: ``BLEError`` with code `disconnected` or `notFound`.
  public func discoverServices(_ uuids: [BluetoothUUID] = []) async throws(BLEError) -> [GATTService] {
    let operation = Operation(.discoverServices(of: address), until: .never)
    let services = try await central.perform { (core) throws(BLEError) in
      let device = core.sessions.device(path)
      if !core.isConnected(path) {
        // A link that a request has stalled may have ended.
        try await core.requireLink(of: device, operation.within(CentralCore.timeToReplace))
      }
      try await device.requireLink(operation)
      return GATTTree(model: core.client.model).services(of: path)
    }
    return uuids.isEmpty ? services : services.filter { uuids.contains($0.uuid) }
  }

  /// The services that BlueZ shows now; without a link, those that it has kept of an earlier one.
  package var shownServices: [GATTService] {
    get async { await central.perform { GATTTree(model: $0.client.model).services(of: path) } }
  }

  /// The characteristics whose notifications another program holds (AcquireNotify): nobody else receives them.
  package var heldCharacteristics: [BluetoothUUID] {
    get async {
      await central.perform { core in
        let ours = core.sessions.devices[path]?.acquired ?? []
        return core.client.model.characteristics(of: path).filter {
          $0.isNotifyAcquired && !ours.contains($0.path)
        }.compactMap(\.uuid).sorted()
      }
    }
  }

  /// True if BlueZ had services of an earlier link when this one was opened or joined: they may be those of
  /// an older firmware.
  package var hadServices: Bool {
    get async { await central.perform { $0.sessions.devices[path]?.hadServices ?? false } }
  }

  /// Waits until BlueZ has not changed the services of the link for a time, or the time limit is reached.
  ///
  /// BlueZ shows those of an earlier firmware at first, and makes all of them anew when the device says that they have
  /// changed; a subscription from before ends then.
  package func waitForQuietServices(
    for quiet: Duration, timeout: Duration?
  ) async throws(BLEError) {
    let operation = Operation(.discoverServices(of: address), timeout: timeout)
    try await central.perform { (core) throws(BLEError) in
      while !operation.deadline.isOver {
        let before = GATTTree(model: core.client.model).shape(of: path)
        let hasChanged: Bool? = try await core.wait(for: operation.within(quiet)) { model in
          GATTTree(model: model).shape(of: path) == before ? nil : .success(true)
        }
        if hasChanged == nil { break }
      }
      try await core.sessions.device(path).requireLink(operation)
    }
  }

  /// The MTU of the link, the size of its longest ATT packet in bytes; nil without a link, or if BlueZ does not
  /// report it.
  ///
  /// BlueZ: GattCharacteristic1.MTU, the same for all characteristics of the device.
  public var mtu: Int? {
    get async {
      await central.perform { core in
        guard core.isConnected(path) else { return nil }
        return core.client.model.characteristics(of: path).lazy.compactMap(\.mtu).first.map { Int($0) }
      }
    }
  }

  /// Returns all characteristics of the connected device with a UUID, by handle.
  ///
  /// - Parameters:
  ///   - uuid: the UUID of the characteristic.
  ///   - service: the UUID of the service; nil searches all services.
  /// - Returns: none, one or several characteristics.
  /// - Throws: ``BLEError`` with code `disconnected` or `notFound`.
  public func characteristics(
    _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
  ) async throws(BLEError) -> [GATTCharacteristic] {
    try await discoverServices(service.map { [$0] } ?? []).flatMap(\.characteristics).filter {
      $0.uuid == uuid
    }
  }

  /// Returns the characteristic with a UUID.
  ///
  /// - Parameters:
  ///   - uuid: the UUID of the characteristic.
  ///   - service: the UUID of the service; nil searches all services.
  /// - Returns: the one with the lowest handle, if there are several.
  /// - Throws: ``BLEError`` with code `notFound` if the device has none; `disconnected`.
  public func characteristic(
    _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
  ) async throws(BLEError) -> GATTCharacteristic {
    if let found = try await characteristics(uuid, in: service).first { return found }
    let error = BLEError(
      .notFound, during: .find(uuid, on: address), "the device has no such characteristic")
    throw await hadServices ? error.advising(.forgetOldServices) : error
  }
}
