// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Serving encrypted values")
  struct ServingPairing {
    private let one = ServingStage.uuid(1)
    private let two = ServingStage.uuid(2)

    var encrypted: [LocalCharacteristic] { encrypted(.signals) }

    private func encrypted(_ transport: UpdateTransport) -> [LocalCharacteristic] {
      [
        LocalCharacteristic(
          one, [.read, .write, .notify], value: [7], security: .encrypted, updateTransport: transport),
        LocalCharacteristic(two, .read, security: .authenticated),
      ]
    }

    /// Runs a test on a manager of the adapter that serves, as the program that answers pairings may have one; removes the
    /// central's bond on both sides.
    func withBond(_ body: (CentralManager) async throws -> Void) async throws {
      let stage = try await Stages.twoAdapters.value
      let outcome: Result<Void, any Error>
      let machine = try await CentralManager(bus: .address(stage.address), adapter: "hci0")
      do { outcome = .success(try await body(machine)) } catch { outcome = .failure(error) }
      if let known = try await machine.knownPeripheral(withAddress: BuiltIn.central) {
        try await known.peripheral.unpair()
      }
      await machine.close()
      try await stage.forgetBondsOfCentral()
      try outcome.get()
    }

    @Test("An encrypted value is refused, until the central has paired")
    func pairing() async throws {
      try await withBond { machine in
        try await ServingStage.serveToOther(encrypted) { stage, manager, service in
          try await stage.expect(.read(one, offset: nil), .refused(0x0f))
          try await stage.expect(.write(one, [1]), .refused(0x0f))
          try await stage.expect(.configure(one, 1), .refused(0x0f))
          try await stage.expect(.read(two, offset: nil), .refused(0x05))
          try await PairingStage.answering(.justWorks, of: machine) {
            try await stage.expect(.pair)
          }
          try await stage.expect(.read(one, offset: nil), .done([7]))
          try await stage.expect(.write(one, [1]))
          // "Just Works" does not authenticate.
          try await stage.expect(.read(two, offset: nil), .refused(0x05))
          var events = await manager.events().makeAsyncIterator()
          try await stage.expect(.configure(one, 1))
          // BlueZ answers the central before it calls us.
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
          try await service.characteristics[0].send([2])
          #expect(try await stage.receivedByCentral(one, atLeast: 1) == [[2]])
          let device = try #require(try await machine.knownPeripheral(withAddress: BuiltIn.central))
          #expect(device.isPaired && device.isBonded)
        }
      }
    }

    @Test("A central with a private address is the same to the peripheral before and after it pairs")
    func privateCentral() async throws {
      try await withBond { machine in
        try await ServingStage.serveToOther(encrypted, isHidden: true) { stage, manager, _ in
          var events = await manager.events().makeAsyncIterator()
          let adapter = try #require(await manager.adapterAddress)
          let first = try await Self.hiddenCentral(of: manager, &events)
          try await PairingStage.answering(.justWorks, of: machine) { try await stage.expect(.pair) }
          try await stage.expect(.read(one, offset: nil), .done([7]))
          try await stage.disconnectCentral()
          let last = try await Self.end(in: &events)
          #expect(last == first)
          #expect(last?.address == BuiltIn.central)
          try await stage.connectCentral(to: "\(adapter)", mtu: 517, isHidden: true)
        }
      }
    }

    @Test(
      "A central with a private address that pairs gets no more values until it subscribes over another link",
      // BlueZ 5.66 has one socket for all centrals.
      .enabled(if: Stages.version >= .v5_82))
    func valueForPrivateCentral() async throws {
      let characteristics = [
        LocalCharacteristic(one, .notify, updateTransport: .acquireNotify),
        LocalCharacteristic(two, .read, value: [7], security: .encrypted),
      ]
      try await withBond { machine in
        try await ServingStage.serveToOther(characteristics, isHidden: true) { stage, manager, service in
          var events = await manager.events().makeAsyncIterator()
          let central = try await Self.hiddenCentral(of: manager, &events)
          try await stage.expect(.configure(one, 1))
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
          let published = service.characteristics[0]
          try await published.send([1], for: central)
          #expect(try await stage.receivedByCentral(one, atLeast: 1) == [[1]])
          let device = try #require(
            try await machine.knownPeripheral(withAddress: BuiltIn.addressOfHiddenCentral))
          try await PairingStage.answering(.justWorks, of: machine) { try await stage.expect(.pair) }
          try await PairingStage.waitForBond(with: device.peripheral)
          try await stage.expect(.read(two, offset: nil), .done([7]))
          #expect(await manager.connectedCentrals.contains { $0.address == BuiltIn.central })
          // bluetoothd knows the subscription only by the address before.
          try await ServingStage.wait(for: &events) { if case .unsubscribed = $0 { true } else { false } }
          let lost = await #expect(throws: BLEError.self) { try await published.send([2], for: central) }
          #expect(lost?.code == .notFound)
          let reached = await published.individualCentrals
          #expect(reached.isEmpty)
          try await stage.expect(.read(two, offset: nil), .done([7]))
          #expect(try await stage.receivedByCentral(one, atLeast: 1) == [[1]])
          try await stage.disconnectCentral()
          let adapter = try #require(await manager.adapterAddress)
          try await stage.connectCentral(to: "\(adapter)", mtu: 517, isHidden: true)
          try await stage.expect(.configure(one, 1))
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
          try await published.send([3], for: central)
          #expect(try await stage.receivedByCentral(one, atLeast: 1) == [[3]])
        }
      }
    }

    /// The central with a private address; bluetoothd reports its link some time after it stands.
    private static func hiddenCentral(
      of manager: PeripheralManager, _ events: inout PeripheralEvents.Iterator
    ) async throws -> Central {
      // The central of another test may still have its link.
      let isHidden = { (central: Central) in central.address == BuiltIn.addressOfHiddenCentral }
      var found = await manager.connectedCentrals.first(where: isHidden)
      if found == nil {
        try await ServingStage.wait(for: &events) {
          if case .connected(let central) = $0, isHidden(central) { found = central }
          return found != nil
        }
      }
      return try #require(found)
    }

    /// The same central, when it disconnects.
    private static func end(in events: inout PeripheralEvents.Iterator) async throws -> Central? {
      let addresses = [BuiltIn.central, BuiltIn.addressOfHiddenCentral]
      var found: Central?
      try await ServingStage.wait(for: &events) {
        if case .disconnected(let central) = $0, addresses.contains(central.address) { found = central }
        return found != nil
      }
      return found
    }

    @Test("A central with a private address gets its own when it pairs, and stays the same object")
    func privateAddress() async throws {
      try await withBond { machine in
        let events = await machine.events()
        try await ServingStage.serveToOther(encrypted, isHidden: true) { stage, _, _ in
          let connection = try await events.first {
            if case .connected(let info) = $0.kind {
              info.address == BuiltIn.addressOfHiddenCentral
            } else {
              false
            }
          }
          guard case .connected(let info) = connection?.kind else {
            throw Contract.Missing(what: "the central")
          }
          let device = info.peripheral
          try await PairingStage.answering(.justWorks, of: machine) { try await stage.expect(.pair) }
          try await PairingStage.waitForBond(with: device)
          #expect(try await device.info.address == BuiltIn.central)
          let known = try await machine.knownPeripheral(withAddress: BuiltIn.central)
          #expect(known?.peripheral == device)
          try await stage.expect(.read(one, offset: nil), .done([7]))
        }
      }
    }

    @Test("Without an agent, and with one that refuses, a central cannot pair")
    func refusal() async throws {
      try await withBond { machine in
        try await ServingStage.serveToOther(encrypted) { stage, _, _ in
          try await stage.expect(.pair, .notPaired)
        }
        try await ServingStage.serveToOther(encrypted) { stage, _, _ in
          try await PairingStage.answering(.refusing, of: machine) {
            try await stage.expect(.pair, .notPaired)
          }
          try await stage.expect(.read(one, offset: nil), .refused(0x0f))
        }
      }
    }

    @Test(
      "A subscription of a bonded central outlives its link, without a call",
      arguments: [UpdateTransport.signals, .acquireNotify])
    func bondedSubscription(_ transport: UpdateTransport) async throws {
      try await withBond { machine in
        try await ServingStage.serveToOther(encrypted(transport)) { stage, manager, service in
          var events = await manager.events().makeAsyncIterator()
          try await PairingStage.answering(.justWorks, of: machine) {
            try await stage.expect(.pair)
          }
          try await stage.expect(.configure(one, 1))
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
          try await stage.disconnectCentral()
          try await ServingStage.wait(for: &events) { if case .disconnected = $0 { true } else { false } }
          #expect(await service.characteristics[0].isSubscribed)
          // No central gets this one; bluetoothd has taken it when it answers a later call.
          try await service.characteristics[0].send([8])
          let beacon = try await manager.startAdvertising(Advertisement(isConnectable: false))
          try await manager.stopAdvertising(beacon)
          let adapter = try #require(await manager.adapterAddress)
          try await stage.connectCentral(to: "\(adapter)", mtu: 517)
          try await ServingStage.wait(for: &events) { if case .connected = $0 { true } else { false } }
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
          try await stage.expect(.listen(one))
          try await service.characteristics[0].send([9])
          #expect(try await stage.receivedByCentral(one, atLeast: 1) == [[9]])
        }
      }
    }

    @Test("Two adapters of one machine pair, and both know it")
    func twoAdapters() async throws {
      try await ServingStage.serve(encrypted) { served in
        let peripheral = served.peripheral
        let machine = try await CentralManager(
          bus: .address(Stages.twoAdapters.value.address), adapter: "hci0")
        let own = try #require(try await BluetoothAddress(peripheral.central.currentAdapter().address))
        let outcome: Result<Void, any Error>
        do {
          try await PairingStage.answering(.justWorks, of: machine) { try await peripheral.pair() }
          let value = try await peripheral.readValue(for: peripheral.characteristic(one))
          let isBonded = try await peripheral.isBonded
          #expect(value == [7] && isBonded)
          let device = try #require(try await machine.knownPeripheral(withAddress: own))
          #expect(device.isBonded)
          outcome = .success(())
        } catch {
          outcome = .failure(error)
        }
        try await peripheral.unpair()
        try await machine.knownPeripheral(withAddress: own)?.peripheral.unpair()
        await machine.close()
        try outcome.get()
      }
    }
  }
}
