// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEWorld
internal import DBus
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Scanning")
  struct Scanning {
    /// Scans until all these have been heard, and gives what is known of them.
    private func hear(
      _ addresses: Set<BluetoothAddress>, _ central: CentralManager,
      until isEnough: (PeripheralInfo) -> Bool = { _ in true }
    ) async throws -> [BluetoothAddress: PeripheralInfo] {
      var heard: [BluetoothAddress: PeripheralInfo] = [:]
      for try await event in central.scan() where isEnough(event.info) {
        heard[event.info.address] = event.info
        if addresses.isSubset(of: heard.keys) { break }
      }
      return heard
    }

    @Test("A scan finds the peripherals with name, strength, services and manufacturer data")
    func findsPeripherals() async throws {
      try await Contract.withCentral { central in
        let all: Set = [
          BuiltIn.wristband, BuiltIn.piano, BuiltIn.thermometer, BuiltIn.iBeacon, BuiltIn.eddystone,
          BuiltIn.ruuvi,
        ]
        let heard = try await hear(all, central)
        let band = try #require(heard[BuiltIn.wristband])
        #expect(band.name == "MI Band 2")
        #expect(band.addressType == .random)
        #expect((-127 ... -1).contains(band.rssi ?? 0))
        #expect(
          band.advertisement.manufacturerData[0x0157] == [0x01, 0x00, 0xc8, 0x0f, 0x10, 0x01, 0x02, 0x03])
        #expect(band.advertisement.serviceUUIDs.contains(BuiltIn.uuid("fee0")))
        #expect(heard[BuiltIn.piano]?.name == "Piano")
        #expect(heard[BuiltIn.thermometer]?.advertisement.txPower == 4)
        #expect(heard[BuiltIn.iBeacon]?.name == nil)
        #expect(heard[BuiltIn.iBeacon]?.advertisement.manufacturerData[0x004c]?.prefix(2) == [0x02, 0x15])
        #expect(
          heard[BuiltIn.eddystone]?.advertisement.serviceData[BuiltIn.uuid("feaa")]
            == [0x10, 0xee, 0x03] + Array("example".utf8) + [0x07])
        #expect(heard[BuiltIn.ruuvi]?.advertisement.manufacturerData[0x0499]?.count == 24)
      }
    }

    @Test("A scan for some time returns the devices heard, and ends then, also if none is")
    func limited() async throws {
      try await Contract.withCentral { central in
        let heard = try await central.scan(
          for: .seconds(3), ScanFilter(addresses: [BuiltIn.piano, BuiltIn.iBeacon]))
        #expect(Set(heard.map(\.address)) == [BuiltIn.piano, BuiltIn.iBeacon])
        let nobody = try #require(BluetoothAddress("C0:00:00:0B:0D:99"))
        let none = try await central.scan(for: .milliseconds(200), ScanFilter(addresses: [nobody]))
        #expect(none.isEmpty)
      }
    }

    @Test("Advertisements of beacons and sensors are understood")
    func meanings() async throws {
      try await Contract.withCentral { central in
        let all: Set = [BuiltIn.iBeacon, BuiltIn.eddystone, BuiltIn.ruuvi, BuiltIn.bthome, BuiltIn.freezer]
        let heard = try await hear(all, central) { $0.rssi != nil }
        func types(_ address: BluetoothAddress) -> [String]? {
          heard[address]?.advertisement.formats.map(\.type)
        }
        #expect(types(BuiltIn.iBeacon) == ["ibeacon"])
        #expect(types(BuiltIn.eddystone) == ["eddystone-url"])
        #expect(types(BuiltIn.ruuvi) == ["ruuvi"])
        #expect(types(BuiltIn.bthome) == ["bthome"])
        #expect(types(BuiltIn.freezer) == ["pvvx"])
        #expect(heard[BuiltIn.iBeacon]?.distance()?.basis == .beacon)
        #expect(heard[BuiltIn.ruuvi]?.distance()?.basis == .assumed)
        #expect(heard[BuiltIn.freezer]?.distance(PathLoss(rssiAtOneMetre: -50))?.basis == .given)
      }
    }

    @Test("A name that only the scan response has becomes known")
    func nameFromScanResponse() async throws {
      try await Contract.withCentral { central in
        let heard = try await hear([BuiltIn.strap], central) { $0.name != nil }
        #expect(heard[BuiltIn.strap]?.name == "Heart Strap")
      }
    }

    @Test("A filter holds exactly, also while another program scans for everything")
    func filterHoldsExactly() async throws {
      try await Contract.withCentral { other in
        let wide = Task { for try await _ in other.scan(reportsDuplicates: true) {} }
        defer { wide.cancel() }
        try await Contract.withCentral { central in
          let filter = ScanFilter(
            services: [BuiltIn.uuid("ffe0"), BuiltIn.uuid("1809")], name: { $0.contains("ano") })
          var heard: Set<BluetoothAddress> = []
          var count = 0
          for try await event in central.scan(filter, reportsDuplicates: true) {
            heard.insert(event.info.address)
            count += 1
            if count == 5 { break }
          }
          #expect(heard == [BuiltIn.piano])
        }
      }
    }

    @Test("A scan for services reports exactly what advertises them, and does not let BlueZ filter by them")
    func services() async throws {
      try await Contract.withCentral { central in
        let wanted: Set = [BuiltIn.thermometer, BuiltIn.bench]
        let filter = ScanFilter(services: [BuiltIn.uuid("1809"), BuiltIn.bench(1)])
        var (heard, isPianoHeard, count): (Set<BluetoothAddress>, Bool, Int) = ([], false, 0)
        for try await event in central.scan(filter, reportsDuplicates: true) {
          heard.insert(event.info.address)
          count += 1
          // BlueZ gives a signal strength to what its own filter accepts.
          let piano = try await central.knownPeripheral(withAddress: BuiltIn.piano)
          isPianoHeard = isPianoHeard || piano?.rssi != nil
          if count == 200 || (isPianoHeard && heard.isSuperset(of: wanted)) { break }
        }
        #expect(heard == wanted)
        #expect(isPianoHeard)
      }
    }

    @Test("A filter of another program that names services ends bluetoothd 5.87, and no other version")
    func servicesOfOthers() async throws {
      let stage = try await Stages.shared.value
      let client = try await BusClient.connect(to: stage.address)
      try await client.startDiscovery(filter: [
        ("Transport", .string("le")), ("UUIDs", .strings([BuiltIn.uuid("1809").longForm])),
      ])
      if Stages.version == .v5_87 {
        _ = await client.log.first { $0 == .owner(name: "org.bluez", owner: "") }
        try await stage.startDaemon()
        // The kernel still scans for the dead one, and refuses another scan until the adapter was off.
        for (isOn, change) in [(false, stage.switchOff), (true, stage.switchOn)] {
          let start = client.log.end
          try await change()
          _ = await client.log.first(from: start) { $0.sets("Powered", to: .boolean(isOn)) }
        }
      } else {
        _ = await client.log.first { $0.path == BusClient.devicePath("\(BuiltIn.thermometer)") }
      }
      await client.close()
    }

    @Test("Filters by company and by strength hold")
    func companyAndStrength() async throws {
      try await Contract.withCentral { central in
        for try await event in central.scan(ScanFilter(manufacturers: [0x0499], minimumRSSI: -126)) {
          #expect(event.info.address == BuiltIn.ruuvi)
          break
        }
      }
    }

    @Test("With duplicates each advertisement is reported")
    func duplicates() async throws {
      try await Contract.withCentral { central in
        var kinds: [ScanEvent.Kind] = []
        for try await event in central.scan(
          ScanFilter(addresses: [BuiltIn.wristband]), reportsDuplicates: true)
        {
          kinds.append(event.kind)
          if kinds.count == 4 { break }
        }
        #expect(kinds.first == .found)
        #expect(!kinds.dropFirst().contains(.found))
      }
    }

    @Test("A hostile name arrives as it was sent")
    func hostileName() async throws {
      try await Contract.withCentral { central in
        let heard = try await hear([BuiltIn.hostile], central)
        let name = try #require(heard[BuiltIn.hostile]?.name)
        #expect(name.hasPrefix("Evil"))
        #expect(name.unicodeScalars.contains("\u{202e}"))
      }
    }

    @Test("Two scans of one manager share a session; ending one leaves the other")
    func sharedSession() async throws {
      try await Contract.withCentral { central in
        var first: ScanResults.Iterator? = central.scan(reportsDuplicates: true).makeAsyncIterator()
        var second = central.scan(reportsDuplicates: true).makeAsyncIterator()
        _ = try await first?.next()
        _ = try await second.next()
        first = nil
        for _ in 0..<12 { #expect(try await second.next() != nil) }
      }
    }

    @Test("After the adapter was off and on, each scan hears the devices, as before")
    func afterPowerLoss() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { central in
        _ = try await hear([BuiltIn.strap], central)
        var states = await central.stateUpdates().makeAsyncIterator()
        try await stage.switchOff()
        while let state = await states.next(), state != .poweredOff {}
        try await stage.switchOn()
        while let state = await states.next(), state != .poweredOn {}
        // The second one hears a device that BlueZ knows by then.
        for _ in 1...2 { #expect(try await hear([BuiltIn.strap], central)[BuiltIn.strap] != nil) }
      }
    }
  }
}
