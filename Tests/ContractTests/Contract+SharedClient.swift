// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import DBus
internal import TestSupport
internal import Testing

extension Contract {
  /// Both roles of a program over one client of BlueZ.
  @Suite("Shared client")
  struct SharedClient {
    /// The names on the bus: each connection has one.
    private static func names(_ observer: Connection) async throws -> Int {
      let call = Message(call: "ListNames", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name)
      guard case .array(_, let names) = try await observer.call(call, timeout: .seconds(20)).values.first
      else {
        throw Contract.Missing(what: "the names on the bus")
      }
      return names.count
    }

    @Test("Two managers share one connection, which lasts until both are closed", arguments: [true, false])
    func roles(closesCentralFirst: Bool) async throws {
      let address = try await Stages.twoAdapters.value.address
      let observer = try await Connection.open(BusAddress(address))
      let before = try await Self.names(observer)
      let client = try await BlueZClient(bus: .address(address), adapter: "hci0")
      let central = await CentralManager(sharing: client)
      let manager = await PeripheralManager(sharing: client)
      #expect(try await Self.names(observer) == before + 1)
      #expect(try await central.currentAdapter().id == "hci0")
      if closesCentralFirst {
        await central.close()
        #expect(await central.state == .busUnavailable)
        #expect(await manager.state == .poweredOn)
        try await Self.serve(manager)
        await manager.close()
      } else {
        try await Self.serve(manager)
        var events = await manager.events().makeAsyncIterator()
        await manager.close()
        await #expect(throws: BLEError.self) { while try await events.next() != nil {} }
        #expect(await manager.state == .busUnavailable)
        #expect(await central.state == .poweredOn)
        _ = try await central.knownPeripherals()
        await central.close()
      }
      // The bus notices the end of the socket a moment later.
      while try await Self.names(observer) > before {}
      await observer.close()
    }

    /// Offers a service, which the other adapter reads.
    private static func serve(_ manager: PeripheralManager) async throws {
      let one = ServingStage.uuid(1)
      let service = LocalService(ServingStage.uuid, [LocalCharacteristic(one, .read, value: [7])])
      let published = try await manager.add(service)
      try await manager.startAdvertising(Advertisement(name: "Served", services: [ServingStage.uuid]))
      try await Contract.withCentral(adapter: "hci1", on: Stages.twoAdapters) { other in
        let peripheral = try await ServingStage.find(other)
        try await Contract.connect(peripheral)
        let value = try await peripheral.readValue(for: peripheral.characteristic(one))
        #expect(value == [7])
      }
      try await manager.stopAdvertising()
      try await manager.remove(published)
    }
  }
}
