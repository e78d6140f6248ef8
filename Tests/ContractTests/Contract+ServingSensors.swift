// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// Advertisements whose data changes, from one adapter to another.
  @Suite("Sensors of this machine")
  struct ServingSensors {
    private static let service = BuiltIn.uuid("fcd2")

    /// The battery's level in percent, as BTHome.
    private static func sensor(_ level: UInt8, isConnectable: Bool) -> Advertisement {
      Advertisement(
        name: "Sensor", serviceData: [service: [0x40, 0x01, level]], isConnectable: isConnectable)
    }

    /// Changes the level of an advertisement step by step, and returns the address that each level was heard from.
    private func heardLevels(isConnectable: Bool) async throws -> [BluetoothAddress] {
      var addresses: [BluetoothAddress] = []
      try await ServingStage.run { manager, central in
        var events = central.scan(reportsDuplicates: true).makeAsyncIterator()
        let advertising = try await manager.startAdvertising(Self.sensor(80, isConnectable: isConnectable))
        for level in [80, 81, 79] as [UInt8] {
          try await manager.update(advertising, to: Self.sensor(level, isConnectable: isConnectable))
          while let event = try await events.next() {
            let info = event.info
            guard info.advertisement.serviceData[Self.service] == [0x40, 0x01, level] else { continue }
            // On a busy machine the new data were once heard from the address before.
            if !isConnectable, addresses.contains(info.address) { continue }
            addresses.append(info.address)
            break
          }
        }
        try await manager.stopAdvertising()
      }
      return addresses
    }

    @Test("An advertisement that accepts connections changes on the air, and keeps its address")
    func changesOnAir() async throws {
      let addresses = try await heardLevels(isConnectable: true)
      #expect(addresses.count == 3)
      #expect(Set(addresses).count == 1)
    }

    @Test("An advertisement without connections has another address with each change")
    func changesAddress() async throws {
      let addresses = try await heardLevels(isConnectable: false)
      #expect(addresses.count == 3)
      #expect(Set(addresses).count == 3)
    }

    @Test("What cannot change on the air is refused, and what does not fit")
    func refusedChanges() async throws {
      try await ServingStage.run { manager, _ in
        let advertising = try await manager.startAdvertising(Self.sensor(80, isConnectable: true))
        let connectable = await #expect(throws: BLEError.self) {
          try await manager.update(advertising, to: Self.sensor(81, isConnectable: false))
        }
        #expect(connectable?.code == .invalidDefinition)
        var long = Self.sensor(80, isConnectable: true)
        long.manufacturerData[0xffff] = [UInt8](repeating: 0, count: 20)
        let tooLong = long
        let length = await #expect(throws: BLEError.self) {
          try await manager.update(advertising, to: tooLong)
        }
        #expect(length?.code == .invalidLength)
        try await manager.stopAdvertising(advertising)
        try await manager.update(advertising, to: Self.sensor(82, isConnectable: true))
      }
    }

    // MARK: World files

    private static let key = "231d39c1d7cc1ab1aee224cd096db932"

    /// A sensor whose values change every three seconds, and so does an encrypted packet.
    private static let world = """
      {"peripherals": [{"address": "C5:EA:50:00:00:09", "name": "Sensor", "advertisement": {
        "connectable": false, "interval": "100ms",
        "beacons": [{"bthome": {"packet_id": {"counter": {}}, "temperature": {"counter": {"from": 20, "step": 0.5}}},
          "every": "3s", "key": "\(key)", "packet_counter": 7}]}}]}
      """

    @Test(
      "The values of a world file are played over the air, and encrypted for the address that sends them",
      arguments: ["serve", "advertise"])
    func played(_ command: String) async throws {
      let stage = try await Stages.twoAdapters.value
      try await TemporaryFile.with(Array(Self.world.utf8)) { file in
        let running = try Blectl(bus: stage.address).start(
          [command, file.path, "-i", "hci0"], input: nil, limit: .seconds(120))
        let central = try await CentralManager(bus: .address(stage.address), adapter: "hci1")
        let adapter = try #require(await central.adapters.first { $0.id == "hci0" }?.address)
        let (address, key) = (try #require(BluetoothAddress(adapter)), try BindKey(parsing: Self.key))
        var heard: [(text: String, counter: UInt32)] = []
        for try await event in central.scan(ScanFilter(addresses: [address]), reportsDuplicates: true) {
          guard let bytes = event.info.advertisement.serviceData[Self.service] else { continue }
          let opened = try AdvertisedFormats.decode(.service(Self.service, bytes), from: address, key: key)
          let text = opened?.format.text ?? "not decoded"
          guard heard.last?.text != text else { continue }
          heard.append((text, opened?.counter?.value ?? 0))
          if heard.count == 3 { break }
        }
        await central.close()
        running.send(signal: SIGINT)
        let result = await running.result()
        #expect(
          result.errorText.contains("it accepts connections, because Linux would give it another address"))
        let first = try #require(heard.first?.counter)
        #expect(heard.map(\.counter) == [first, first + 1, first + 2])
        let packets = heard.map { Int($0.counter) - 7 }
        let texts = packets.map {
          "BTHome packet \($0), \(20 + $0 / 2).\($0.isMultiple(of: 2) ? "00" : "50") °C"
        }
        #expect(heard.map(\.text) == texts)
      }
    }

    @Test("A snapshot records what changes as a sequence, which can be played again")
    func recorded() async throws {
      let stage = try await Stages.twoAdapters.value
      let world = """
        {"peripherals": [{"address": "C5:EA:50:00:00:09", "advertisement": {
          "connectable": false, "interval": "100ms", "manufacturer_data": {"ffff": {"sequence": [
            {"value": "01", "for": "3s"}, {"value": "02", "for": "4s"}, {"value": "03", "for": "3s"}]}}}}]}
        """
      try await TemporaryFile.with(Array(world.utf8)) { file in
        let running = try Blectl(bus: stage.address).start(
          ["advertise", file.path, "-i", "hci0", "--json"], input: nil, limit: .seconds(180))
        #expect(await running.waitForLines(1))
        let central = try await CentralManager(bus: .address(stage.address), adapter: "hci1")
        let address = try #require(await central.adapters.first { $0.id == "hci0" }?.address)
        await central.close()
        let recorded = try await Blectl(bus: stage.address).run(
          "snapshot", address, "--beacon", "--listen", "18s", "--json", "-i", "hci1")
        running.send(signal: SIGINT)
        _ = await running.result()
        #expect(recorded.status == 0, "\(recorded.errorText)")
        let data = try recorded.records.first?["peripherals"]?[0]?["advertisement"]?["manufacturer_data"]
        let values = data?["ffff"]?["sequence"]?.elements.compactMap { $0["value"]?.text } ?? []
        #expect(values.count >= 4)
        #expect(Set(values) == ["01", "02", "03"])
        let next = ["01": "02", "02": "03", "03": "01"]
        for (value, following) in zip(values, values.dropFirst()) { #expect(next[value] == following) }
        // It is a world again.
        try await TemporaryFile.with(recorded.output) { copy in
          let heard = try await Blectl().run(
            "scan", "--simulate=\(copy.path)", "--json", "--count", "1", "--duration", "10s")
          let played = try heard.records.first?["manufacturer_data"]?["ffff"]?.text
          #expect(values.contains { $0 == played })
        }
      }
    }
  }
}
