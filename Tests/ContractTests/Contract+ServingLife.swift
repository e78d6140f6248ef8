// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Advertising, links and outages of a peripheral")
  struct ServingLife {
    private let one = ServingStage.uuid(1)

    // MARK: Advertisements

    @Test("A scan hears everything that is advertised")
    func advertisement() async throws {
      let advertisement = Advertisement(
        name: "Everything", services: [ServingStage.short], manufacturerData: [0xfff1: [1, 2, 3]],
        serviceData: [ServingStage.short: [4, 5]], appearance: Appearance(rawValue: 0x0340),
        // So that it has an address that BlueZ does not know yet.
        isConnectable: false)
      try await ServingStage.run { manager, central in
        try await manager.startAdvertising(advertisement)
        for try await event in central.scan(ScanFilter(services: [ServingStage.short])) {
          let heard = event.info.advertisement
          // The name comes with the scan response, which may be later.
          guard heard.localName == "Everything" else { continue }
          #expect(heard.serviceUUIDs == [ServingStage.short])
          #expect(heard.manufacturerData == [0xfff1: [1, 2, 3]])
          #expect(heard.serviceData == [ServingStage.short: [4, 5]])
          #expect(heard.appearance == 0x0340)
          break
        }
        try await manager.stopAdvertising()
      }
    }

    @Test("A beacon has a random address")
    func beacon() async throws {
      try await ServingStage.run { manager, central in
        let beacon = Advertisement(manufacturerData: [0xfff1: [9, 9]], isConnectable: false)
        try await manager.startAdvertising(beacon)
        let own = await central.adapters.map(\.address)
        for try await event in central.scan(ScanFilter(manufacturers: [0xfff1])) {
          guard event.info.advertisement.manufacturerData == [0xfff1: [9, 9]] else { continue }
          #expect(!own.contains(event.info.address.description))
          #expect(event.info.addressType == .random)
          break
        }
      }
    }

    @Test("The parts that do not fit into an advertisement are named")
    func tooLong() async throws {
      try await ServingStage.run { manager, _ in
        let long = Advertisement(
          services: [ServingStage.uuid], manufacturerData: [0xfff1: [1, 2, 3, 4, 5, 6, 7]])
        let error = await #expect(throws: BLEError.self) { try await manager.startAdvertising(long) }
        #expect(error?.code == .invalidLength)
        #expect(error?.message.contains("manufacturer data fff1 11") == true)
      }
    }

    /// Starts as many advertisements as the adapter takes.
    private func fill(_ manager: PeripheralManager) async throws -> [Advertising] {
      var running: [Advertising] = []
      var refusal: BLEError?
      while refusal == nil, running.count < 100 {
        let number = UInt8(running.count)
        let beacon = Advertisement(manufacturerData: [0xfff1: [number]], isConnectable: false)
        do throws(BLEError) {
          running.append(try await manager.startAdvertising(beacon))
        } catch {
          refusal = error
        }
      }
      #expect(refusal?.code == .notPermitted)
      return running
    }

    @Test("An adapter takes several advertisements; one too many is refused until another is stopped")
    func severalAdvertisements() async throws {
      try await ServingStage.run { manager, _ in
        var running = try await fill(manager)
        try await manager.stopAdvertising(running.removeLast())
        running.append(try await manager.startAdvertising(Advertisement(isConnectable: false)))
        try await manager.stopAdvertising()
      }
    }

    @Test("An advertisement ends when its time is over")
    func duration() async throws {
      try await ServingStage.run { manager, _ in
        var events = await manager.events().makeAsyncIterator()
        let advertising = try await manager.startAdvertising(
          Advertisement(services: [ServingStage.short], duration: .seconds(1)))
        try await ServingStage.wait(for: &events) {
          if case .advertisingEnded(advertising) = $0 { true } else { false }
        }
      }
    }

    // MARK: Links and subscriptions

    @Test("A central that connects, subscribes and hangs up is reported")
    func events() async throws {
      try await ServingStage.run { manager, central in
        let service = try await manager.add(
          LocalService(ServingStage.uuid, [LocalCharacteristic(one, [.read, .notify], value: [5])]))
        try await manager.startAdvertising(Advertisement(services: [ServingStage.uuid]))
        var events = await manager.events().makeAsyncIterator()
        let peripheral = try await ServingStage.find(central)
        try await Contract.connect(peripheral)
        let address = try await BluetoothAddress(central.currentAdapter().address)
        let attribute = try await peripheral.characteristic(one)
        _ = try await peripheral.readValue(for: attribute)
        var notifications = try await peripheral.notifications(for: attribute).makeAsyncIterator()
        async let first = notifications.next()
        try await ServingStage.wait(for: &events) {
          if case .connected(let central) = $0 { central.address == address } else { false }
        }
        try await ServingStage.wait(for: &events) {
          if case .read(let access) = $0 {
            access.central.address == address && access.uuid == one && access.value == [5]
              && access.service == ServingStage.uuid && access.descriptor == nil && access.handle != nil
          } else {
            false
          }
        }
        try await ServingStage.wait(for: &events) {
          if case .subscribed(service.characteristics[0]) = $0 { true } else { false }
        }
        try await service.characteristics[0].send([6])
        let value = try await first?.value
        #expect(value == [6])
        #expect(await manager.connectedCentrals.map(\.address) == [address])
        try await peripheral.disconnect()
        var seen: Set<String> = []
        try await ServingStage.wait(for: &events) { kind in
          switch kind {
          case .unsubscribed: seen.insert("unsubscribed")
          case .disconnected: seen.insert("disconnected")
          default: break
          }
          return seen.count == 2
        }
      }
    }

    @Test("A value beyond the limit is refused, new room is reported, and all others arrive")
    func backPressure() async throws {
      let stage = try await Stages.twoAdapters.value
      let notified = LocalCharacteristic(one, .notify)
      try await ServingStage.serve([notified]) { served in
        let (characteristic, peripheral) = (served.characteristic, served.peripheral)
        var events = await served.manager.events().makeAsyncIterator()
        let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
        async let received = ServingStage.values(of: notifications, until: [0xff])
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        var sent: [[UInt8]] = []
        for round in UInt8(0)..<4 {
          try await stage.freezeDaemon()
          var count = UInt8(0)
          while count < 255, try await characteristic.update([round, count]) { count += 1 }
          #expect(count > 0 && count < 100)
          sent += (0..<count).map { [round, $0] }
          try await stage.thawDaemon()
          try await ServingStage.wait(for: &events) { if case .isReady = $0 { true } else { false } }
        }
        try await characteristic.send([0xff])
        let values = try await received
        #expect(values == sent)
      }
    }

    // MARK: Outages

    @Test("What bluetoothd registers after the deadline does not stay", arguments: [false, true])
    func late(isAdvertisement: Bool) async throws {
      let stage = try await Stages.twoAdapters.value
      let service = LocalService(ServingStage.uuid, [LocalCharacteristic(one, .read, value: [1])])
      try await ServingStage.run { manager, central in
        let room = try await fill(manager).count
        try await manager.stopAdvertising()
        try await stage.freezeDaemon()
        let error = await #expect(throws: BLEError.self) {
          if isAdvertisement {
            try await manager.startAdvertising(Advertisement(isConnectable: false), timeout: .seconds(1))
          } else {
            try await manager.add(service, timeout: .seconds(1))
          }
        }
        try await stage.thawDaemon()
        #expect(error?.code == .timedOut)
        #expect(try await fill(manager).count == room)
        try await manager.stopAdvertising()
        try await manager.add(service)
        try await manager.startAdvertising(Advertisement(services: [ServingStage.uuid]))
        let peripheral = try await ServingStage.find(central)
        try await Contract.connect(peripheral)
        #expect(try await peripheral.discoverServices().count { $0.uuid == ServingStage.uuid } == 1)
        let value = try await peripheral.readValue(for: peripheral.characteristic(one))
        #expect(value == [1])
      }
    }

    @Test("Services and advertisements come back with bluetoothd")
    func restart() async throws {
      let stage = try await Stages.twoAdapters.value
      try await ServingStage.serve([LocalCharacteristic(one, .read, value: [1])]) { served in
        var events = await served.manager.events().makeAsyncIterator()
        try await stage.killDaemon()
        try await ServingStage.wait(for: &events) { if case .disconnected = $0 { true } else { false } }
        try await stage.startDaemon()
        try await ServingStage.wait(for: &events) { if case .advertisingStarted = $0 { true } else { false } }
        let peripheral = try await ServingStage.find(served.peripheral.central)
        try await Contract.connect(peripheral)
        let value = try await peripheral.readValue(for: peripheral.characteristic(one))
        #expect(value == [1])
      }
    }

    @Test("Services and advertisements come back with the adapter")
    func power() async throws {
      let stage = try await Stages.twoAdapters.value
      try await ServingStage.serve([LocalCharacteristic(one, .read, value: [1])]) { served in
        var events = await served.manager.events().makeAsyncIterator()
        try await stage.switchOff()
        try await ServingStage.wait(for: &events) { if case .state(.poweredOff) = $0 { true } else { false } }
        let error = await #expect(throws: BLEError.self) {
          try await served.manager.startAdvertising(Advertisement())
        }
        #expect(error?.code == .poweredOff)
        try await stage.switchOn()
        try await ServingStage.wait(for: &events) { if case .state(.poweredOn) = $0 { true } else { false } }
        let peripheral = try await ServingStage.find(served.peripheral.central)
        try await Contract.connect(peripheral)
        let value = try await peripheral.readValue(for: peripheral.characteristic(one))
        #expect(value == [1])
      }
    }
  }
}
