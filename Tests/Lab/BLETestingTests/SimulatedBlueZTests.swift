// SPDX-License-Identifier: MIT
import BLECentral
import BLETesting
import Testing

private let ticks = BluetoothUUID(short: 0xfff1)

/// A lamp with a level, as a test describes it.
private let lamp = SimulatedWorld(peripherals: [
  SimulatedPeripheral(
    "Lamp",
    services: [
      SimulatedService(
        .batteryService,
        [
          SimulatedCharacteristic(.batteryLevel, [.read, .write], value: [87]),
          // bluetoothd itself subscribes to a battery level, which then changes before a slow machine reads it.
          SimulatedCharacteristic(ticks, [.notify], notifiedValues: [[86], [85]], every: .milliseconds(20)),
        ])
    ])
])

@Suite("A simulated BlueZ for tests") struct SimulatedBlueZTests {
  /// Runs a test with the lamp, connected by a manager on what it takes for the system bus.
  private func withLamp(
    in world: SimulatedWorld = lamp,
    _ body: (Peripheral, RunningPeripheral, SimulatedBlueZ) async throws -> Void
  ) async throws {
    try await withSimulatedBlueZ(world) { bluez in
      let central = try await CentralManager()
      let found = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Lamp" })).peripheral
      try await central.withConnection(to: found) { peripheral in
        try await body(peripheral, try bluez.peripheral("Lamp"), bluez)
      }
      await central.close()
    }
  }

  @Test("A value of a world in code is read") func reading() async throws {
    try await withLamp { peripheral, _, _ in
      let level = try await peripheral.characteristic(.batteryLevel)
      #expect(try await peripheral.readValue(for: level) == [87])
    }
  }

  @Test("A value of a world file is read, by a manager with the simulation's bus") func worldFile()
    async throws
  {
    let checkout = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let world = try SimulatedWorld(file: "/\(checkout)/docs/example-world.json")
    try await withSimulatedBlueZ(world) { bluez in
      let central = try await CentralManager(bus: bluez.bus)
      #expect(await central.state == .poweredOn)
      await central.close()
    }
  }

  @Test("A central's write reaches the peripheral") func writing() async throws {
    try await withLamp { peripheral, lamp, _ in
      let level = try await peripheral.characteristic(.batteryLevel)
      try await peripheral.writeValue([10], for: level)
      #expect(await lamp.values(writtenTo: .batteryLevel) == [[10]])
      #expect(await lamp.isConnected)
    }
  }

  @Test("A dropped link ends a subscription") func dropping() async throws {
    try await withLamp { peripheral, lamp, _ in
      let ticking = try await peripheral.characteristic(ticks)
      var iterator = try await peripheral.notifications(for: ticking).makeAsyncIterator()
      #expect(try await iterator.next()?.value == [86])
      try await lamp.dropLink()
      await #expect(throws: BLEError.self) {
        while try await iterator.next() != nil {}
      }
    }
  }

  @Test("A fault of a characteristic happens as often as it was asked to") func answers() async throws {
    try await withLamp { peripheral, lamp, _ in
      let level = try await peripheral.characteristic(.batteryLevel)
      try await lamp.apply(.error(0x80, operation: .read, times: 1), to: .batteryLevel)
      await #expect(throws: BLEError.self) { try await peripheral.readValue(for: level) }
      #expect(try await peripheral.readValue(for: level) == [87])
    }
  }

  @Test("A peripheral can begin with faults") func firstFaults() async throws {
    let world = SimulatedWorld(
      peripherals: [SimulatedPeripheral("Shy", faults: [.loseAdvertisements])], bluez: .v5_87)
    try await withSimulatedBlueZ(world) { bluez in
      let central = try await CentralManager()
      await #expect(throws: BLEError.self) {
        try await central.firstPeripheral(matching: ScanFilter(), timeout: .milliseconds(200))
      }
      try await bluez.peripheral("Shy").heal()
      _ = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Shy" }))
      await central.close()
    }
  }

  @Test("The daemon can end and come back, and an adapter can be unplugged") func outages() async throws {
    try await withSimulatedBlueZ { bluez in
      let central = try await CentralManager()
      var states = await central.stateUpdates().makeAsyncIterator()
      #expect(await states.next() == .poweredOn)
      try await bluez.killDaemon()
      #expect(await states.next() != .poweredOn)
      try await bluez.startDaemon()
      while let state = await states.next(), state != .poweredOn {}
      try await bluez.unplugAdapter()
      #expect(await states.next() != .poweredOn)
      await central.close()
    }
  }

  @Test("Simulations that run at the same time do not see each other") func parallel() async throws {
    try await withSimulatedBlueZ(lamp) { one in
      try await withSimulatedBlueZ { two in
        #expect(one.environment != two.environment)
        #expect(throws: SimulationError.self) { try two.peripheral("Lamp") }
        let central = try await CentralManager(bus: one.bus)
        _ = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Lamp" }))
        await central.close()
      }
    }
  }

  @Test("A world that no file could describe is reported with its mistake") func invalid() async throws {
    let world = SimulatedWorld(peripherals: [SimulatedPeripheral("Lamp", address: "nowhere")])
    let error = await #expect(throws: SimulationError.self) { try await withSimulatedBlueZ(world) { _ in } }
    #expect(error?.description.contains("/peripherals/0/address") == true, "\(error?.description ?? "")")
  }

  @Test("A command of the control socket is executed, or its mistake is reported") func commands()
    async throws
  {
    try await withLamp { _, lamp, bluez in
      try await bluez.perform(#"{"do":"drop-link","device":"\#(lamp.address)"}"#)
      let error = await #expect(throws: SimulationError.self) {
        try await bluez.perform(#"{"do":"drop-link","device":"C0:00:00:00:00:00"}"#)
      }
      #expect(error?.description.contains("there is no peripheral") == true)
      let state = await #expect(throws: SimulationError.self) {
        try await bluez.perform(#"{"do":"state"}"#)
      }
      #expect(state?.description == "state changes nothing, and perform has no answer for it")
    }
  }

  @Test("What a world file refuses is refused in code, too, and changes nothing") func ranges() async throws {
    try await withLamp { peripheral, lamp, _ in
      func refuses(
        _ reason: String, _ action: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
      ) async {
        let error = await #expect(throws: SimulationError.self, sourceLocation: sourceLocation) {
          try await action()
        }
        let text = error?.description ?? ""
        #expect(text.contains(reason), "\(text)", sourceLocation: sourceLocation)
      }
      let long = [UInt8](repeating: 1, count: 600)
      await refuses("/value") { try await lamp.setValue(long, of: .batteryLevel) }
      await refuses("/operations") { try await lamp.apply(.dropLinks(afterOperations: -5)) }
      await refuses("/time") { try await lamp.apply(.dropLinks(after: .seconds(-1))) }
      await refuses("/packet_time") { try await lamp.apply(.slowLinks(packetTime: .seconds(-1))) }
      await refuses("/times") { try await lamp.apply(.refuseConnections(times: -1)) }
      await refuses("/by") { try await lamp.apply(.late(by: .seconds(-1)), to: .batteryLevel) }
      await refuses("/times") { try await lamp.apply(.noAnswer(times: -1), to: .batteryLevel) }
      await refuses("/for") { try await lamp.apply(.loseNames(), for: .seconds(-1)) }
      await refuses("/rssi") { try await lamp.setRSSI(100) }
      let level = try await peripheral.characteristic(.batteryLevel)
      #expect(try await peripheral.readValue(for: level) == [87])
      try await lamp.setValue(Array(long.prefix(512)), of: .batteryLevel)
      #expect(try await peripheral.readValue(for: level).count == 512)
    }
  }
}
