// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// On a real bluetoothd these run in a boot of their own, with `bluetoothd --experimental`: see `Scripts/parts.sh`.
  @Suite("Passive scanning", .enabled(if: Stages.hasExperimental, "needs bluetoothd --experimental"))
  struct Passive {
    private func withCentral(_ body: (CentralManager) async throws -> Void) async throws {
      try await Contract.withCentral(on: Stages.experimental, body)
    }

    /// Lets bluetoothd forget what it has heard.
    private func restart() async throws {
      let stage = try await Stages.experimental.value
      try await stage.killDaemon()
      try await stage.startDaemon()
    }

    @Test("A passive scan hears the peripherals, but not their scan responses")
    func hears() async throws {
      try await restart()
      try await withCentral { central in
        let all: Set = [
          BuiltIn.wristband, BuiltIn.piano, BuiltIn.strap, BuiltIn.thermometer, BuiltIn.iBeacon,
          BuiltIn.eddystone,
          BuiltIn.ruuvi, BuiltIn.bench, BuiltIn.hostile,
        ]
        var heard: [BluetoothAddress: PeripheralInfo] = [:]
        for try await event in central.scan(mode: .passive) {
          heard[event.info.address] = event.info
          if all.isSubset(of: heard.keys) { break }
        }
        let band = try #require(heard[BuiltIn.wristband])
        #expect(band.name == "MI Band 2")
        #expect((-127 ... -1).contains(band.rssi ?? 0))
        #expect(
          band.advertisement.manufacturerData[0x0157] == [0x01, 0x00, 0xc8, 0x0f, 0x10, 0x01, 0x02, 0x03])
        #expect(band.advertisement.serviceUUIDs.contains(BuiltIn.uuid("fee0")))
        #expect(heard[BuiltIn.thermometer]?.advertisement.txPower == 4)
        #expect(heard[BuiltIn.ruuvi]?.advertisement.manufacturerData[0x0499]?.count == 24)
        let strap = try #require(heard[BuiltIn.strap])
        #expect(strap.name == nil)
        #expect(strap.advertisement.serviceUUIDs.contains(.heartRate))
        #expect(heard[BuiltIn.bench]?.advertisement.serviceUUIDs == [])
        #expect(try await !central.currentAdapter().isDiscovering)
      }
    }

    @Test("Filters hold exactly, and with duplicates each advertisement is reported")
    func filters() async throws {
      try await withCentral { central in
        let filter = ScanFilter(
          services: [BuiltIn.uuid("ffe0"), BuiltIn.uuid("1809")], name: { $0.contains("ano") })
        var kinds: [ScanEvent.Kind] = []
        for try await event in central.scan(filter, mode: .passive, reportsDuplicates: true) {
          #expect(event.info.address == BuiltIn.piano)
          kinds.append(event.kind)
          if kinds.count == 5 { break }
        }
        #expect(kinds.first == .found)
        #expect(!kinds.dropFirst().contains(.found))
      }
    }

    @Test("Passive scans share a monitor: ending one leaves the other, and it can be had again")
    func shared() async throws {
      try await withCentral { central in
        var first: ScanResults.Iterator? = central.scan(mode: .passive, reportsDuplicates: true)
          .makeAsyncIterator()
        var second: ScanResults.Iterator? = central.scan(mode: .passive, reportsDuplicates: true)
          .makeAsyncIterator()
        _ = try await first?.next()
        _ = try await second?.next()
        first = nil
        for _ in 0..<12 { #expect(try await second?.next() != nil) }
        second = nil
        for _ in 0..<3 {
          for try await _ in central.scan(mode: .passive) { break }
        }
      }
    }

    @Test("A passive scan that is cancelled before it has begun does not harm the next one")
    func cancelled() async throws {
      try await withCentral { central in
        for _ in 0..<3 {
          let scan = Task { for try await _ in central.scan(mode: .passive) { break } }
          scan.cancel()
          try await scan.value
        }
        for try await _ in central.scan(mode: .passive) { break }
      }
    }

    @Test("Listen --passive has the values of a sensor, its absence and its return")
    func absence() async throws {
      let stage = try await Stages.experimental.value
      try await Contract.silence(of: BuiltIn.bthome, on: stage, "--absent", "5s", "--passive")
    }

    @Test("Two programs scan passively at the same time")
    func twoPrograms() async throws {
      try await withCentral { other in
        var others = other.scan(mode: .passive, reportsDuplicates: true).makeAsyncIterator()
        _ = try await others.next()
        try await withCentral { central in
          for try await _ in central.scan(mode: .passive) { break }
        }
        for _ in 0..<12 { #expect(try await others.next() != nil) }
      }
    }

    @Test("A passive scan reports what an active one learns")
    func besideActive() async throws {
      try await withCentral { central in
        let filter = ScanFilter(addresses: [BuiltIn.strap])
        var passive = central.scan(filter, mode: .passive, reportsDuplicates: true).makeAsyncIterator()
        _ = try await passive.next()
        for try await event in central.scan(filter) where event.info.name != nil { break }
        var name: String?
        while name == nil, let event = try await passive.next() { name = event.info.name }
        #expect(name == "Heart Strap")
        for _ in 0..<6 { #expect(try await passive.next() != nil) }
      }
    }

    @Test("A device heard passively can be connected to, and the scan goes on")
    func connects() async throws {
      try await withCentral { central in
        var events = central.scan(mode: .passive, reportsDuplicates: true).makeAsyncIterator()
        var peripheral: Peripheral?
        while peripheral == nil, let event = try await events.next() {
          if event.info.address == BuiltIn.wristband { peripheral = event.info.peripheral }
        }
        let wristband = try #require(peripheral)
        try await Contract.connect(wristband)
        let revision = try await wristband.characteristic(.softwareRevision)
        #expect(try await wristband.readValue(for: revision) == Array("V1.0.1.81".utf8))
        for _ in 0..<12 { #expect(try await events.next() != nil) }
        try await wristband.disconnect()
      }
    }

    @Test("A passive scan ends when the adapter is switched off")
    func adapterOff() async throws {
      try await withCentral { central in
        var events = central.scan(mode: .passive, reportsDuplicates: true).makeAsyncIterator()
        _ = try await events.next()
        let adapter = try await central.currentAdapter()
        try await central.setPowered(false, adapter: adapter)
        let error = await #expect(throws: BLEError.self) { while try await events.next() != nil {} }
        #expect(error?.code == .poweredOff)
        try await central.setPowered(true, adapter: adapter)
        for try await _ in central.scan(mode: .passive) { break }
      }
    }

    @Test("A passive scan ends when bluetoothd dies, and a new one can begin when it is back")
    func daemonDies() async throws {
      let stage = try await Stages.experimental.value
      try await withCentral { central in
        var events = central.scan(mode: .passive, reportsDuplicates: true).makeAsyncIterator()
        _ = try await events.next()
        try await stage.killDaemon()
        let error = await #expect(throws: BLEError.self) { while try await events.next() != nil {} }
        #expect(error?.code == .serviceUnavailable)
        try await stage.startDaemon()
        for await state in await central.stateUpdates() where state == .poweredOn { break }
        for try await _ in central.scan(mode: .passive) { break }
      }
    }

    @Test("Blectl listen --passive prints the values of sensors, without asking them")
    func listening() async throws {
      let blectl = Blectl(bus: try await Stages.experimental.value.address)
      let running = try blectl.start(["listen", "--passive", "--json"], limit: .seconds(300))
      let sensors = [BuiltIn.ruuvi, BuiltIn.eddystone, BuiltIn.iBeacon]
      #expect(await running.waitForOutput { text in sensors.allSatisfy { text.contains("\($0)") } })
      let adapter = try await blectl.run("adapter", "--json")
      #expect(try adapter.records.first?["discovering"]?.flag == false)
      running.send(signal: SIGINT)
      let values = try await running.result().records.filter { $0["event"]?.text == "value" }
      for sensor in sensors {
        #expect(values.count { $0["address"]?.text == "\(sensor)" } == 1, "\(sensor)")
      }
    }

    @Test("Each value of a beacon that changes is heard passively, once")
    func changes() async throws {
      let address = try await Stages.experimentalTwoAdapters.value.address
      let blectl = Blectl(bus: address)
      let adapters = try await blectl.run("adapter", "--json").records
      // Its name is in the scan response.
      let sender = try #require(adapters.first { $0["adapter"]?.text == "hci0" }?["address"]?.text)
      let running = try blectl.start(
        ["listen", sender, "-i", "hci1", "--type", "bthome", "--passive", "--json"], limit: .seconds(400))
      let manager = try await PeripheralManager(bus: .address(address), adapter: "hci0")
      let story = ["temperature=21.5", "temperature=22", "temperature=21.5", "battery=80", "temperature=23"]
      try await ServingStage.advertise(story, by: manager, heardBy: running)
      await manager.close()
      running.send(signal: SIGINT)
      let values = try await running.result().records.filter { $0["event"]?.text == "value" }
      #expect(
        values.map { $0["decoded"]?["temperature_celsius"]?.real } == [21.5, 22, 21.5, nil, 23],
        "\(values.count) values")
    }

    @Test("Blectl scan --passive prints what it hears")
    func command() async throws {
      let blectl = Blectl(bus: try await Stages.experimental.value.address)
      let result = try await blectl.run("scan", "--passive", "--count", "5", "--duration", "60s", "--json")
      #expect(result.status == 0, "\(result.errorText)")
      #expect(try result.records.filter { $0["event"]?.text == "found" }.count == 5)
    }
  }

  @Suite(
    "Without experimental features",
    .enabled(if: Stages.hasPlain, "bluetoothd was started with --experimental"))
  struct Plain {
    @Test("A passive scan is refused with a hint")
    func refused() async throws {
      try await Contract.withCentral { central in
        for _ in 0..<2 {
          let error = await #expect(throws: BLEError.self) {
            for try await _ in central.scan(mode: .passive) {}
          }
          #expect(error?.code == .notSupported)
          #expect(error?.message == "bluetoothd offers it only with experimental features on")
        }
        for try await _ in central.scan() { break }
      }
      let result = try await Blectl(bus: try await Stages.shared.value.address).run("scan", "--passive")
      #expect(result.status == 1)
      #expect(result.text.isEmpty)
      #expect(
        result.errorText == """
          blectl: cannot scan passively: bluetoothd offers it only with experimental features on
          hint: start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf

          """)
    }
  }
}
