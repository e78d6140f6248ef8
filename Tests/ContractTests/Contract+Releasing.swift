// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import TestSupport
internal import Testing

extension Contract {
  /// Managers that are released, not closed, while others wait for what they deliver.
  @Suite("Released managers")
  struct ReleasedManagers {
    /// What a manager delivers that does not keep it.
    private struct Readers: Sendable {
      let notifications: Notifications
      let states: AsyncStream<BluetoothState>
    }

    /// Subscribes with a manager that is released afterwards.
    private func subscribe(via transport: NotificationTransport) async throws -> Readers {
      let central = try await Contract.central()
      let peripheral = try await Contract.find(BuiltIn.bench, central)
      try await Contract.connect(peripheral)
      let notifications = try await peripheral.notifications(
        for: peripheral.characteristic(BuiltIn.bench(0x0107)), via: transport)
      return Readers(notifications: notifications, states: await central.stateUpdates())
    }

    @Test(
      "Readers of a released manager are told that it is closed",
      arguments: [NotificationTransport.signal, .socket])
    func central(_ transport: NotificationTransport) async throws {
      let readers = try await subscribe(via: transport)
      let end = await #expect(throws: BLEError.self) { for try await _ in readers.notifications {} }
      #expect(end?.code == .cancelled)
      #expect(end?.message == "the manager is closed")
      for await _ in readers.states {}
      try await Stages.shared.value.drop("\(BuiltIn.bench)")
    }

    /// Serves a value over a client with a manager that is released when a central has subscribed.
    private func serve(
      over client: BlueZClient, to central: CentralManager, via transport: UpdateTransport
    ) async throws -> Notifications {
      let one = ServingStage.uuid(1)
      let manager = await PeripheralManager(sharing: client)
      let service = try await manager.add(
        LocalService(ServingStage.uuid, [LocalCharacteristic(one, [.notify], updateTransport: transport)]))
      try await manager.startAdvertising(Advertisement(name: "Served", services: [ServingStage.uuid]))
      var events = await manager.events().makeAsyncIterator()
      let peripheral = try await ServingStage.find(central)
      try await Contract.connect(peripheral)
      let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
      try await ServingStage.wait(for: &events) {
        if case .subscribed(service.characteristics[0]) = $0 { true } else { false }
      }
      return notifications
    }

    @Test(
      "Services of a released manager disappear for a subscribed central, though the client of the manager stays",
      arguments: [UpdateTransport.signals, .acquireNotify])
    func peripheral(_ transport: UpdateTransport) async throws {
      let client = try await BlueZClient(
        bus: .address(try await Stages.twoAdapters.value.address), adapter: "hci0")
      let other = await CentralManager(sharing: client)
      try await Contract.withCentral(adapter: "hci1", on: Stages.twoAdapters) { central in
        let notifications = try await serve(over: client, to: central, via: transport)
        let end = await #expect(throws: BLEError.self) { for try await _ in notifications {} }
        #expect(end?.code == .notFound)
      }
      await other.close()
    }
  }
}
