// SPDX-License-Identifier: MIT
import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `subscribe --all` with devices that do not answer.
@Suite("Groups of devices")
struct DeviceGroupTests {
  private static func sensor(_ number: Int) -> PeripheralSpec {
    PeripheralSpec(
      address: "C0:5E:00:00:00:0\(number)", advertisement: AdvertisementSpec(name: "Sensor \(number)"),
      services: [
        ServiceSpec(
          BluetoothUUID(0x181A),
          [
            CharacteristicSpec(
              BluetoothUUID(0x2A6E), 0x12, value: [0x66, 0x08],
              notifying: .cycle([[0x66, 0x08]], every: .milliseconds(100)))
          ])
      ])
  }

  private static let sensors = (1...5).map(sensor)
  private static let silent = sensors.prefix(2).map(\.address)
  private static let healthy = sensors.suffix(3).map(\.address)

  private func withSensors(_ body: (SimulatedBus) async throws -> Void) async throws {
    try await withSimulator(world: World(peripherals: Self.sensors)) { simulated in
      for address in Self.silent {
        try await simulated.simulator.perform(.peripheral(address, .hangConnect()))
      }
      try await body(simulated)
    }
  }

  private func subscribe(_ simulated: SimulatedBus, _ options: String...) throws -> ToolRun {
    try Blectl(bus: simulated.address).start(
      ["subscribe", "Sensor*", "2a6e", "--all", "--json"] + options, limit: .seconds(100))
  }

  /// Waits until values have come from all these.
  private func hear(_ addresses: [String], _ running: ToolRun) async -> Bool {
    await running.waitForOutput { text in
      let lines = text.split(separator: "\n").filter { $0.contains("\"event\":\"value\"") }
      return addresses.allSatisfy { address in lines.contains { $0.contains(address) } }
    }
  }

  @Test("The link to a device that lacks the characteristic is not kept")
  func unfit() async throws {
    var unfit = Self.sensor(1)
    unfit.services = []
    try await withSimulator(world: World(peripherals: [unfit, Self.sensor(2)])) { simulated in
      let running = try subscribe(simulated)
      #expect(await running.waitForErrors { $0.contains("no such characteristic") })
      // A value comes each 100 ms; a link ends 2 s after it was released.
      #expect(await running.waitForLines(40))
      #expect(await !simulated.simulator.isConnected(unfit.address))
      running.send(signal: SIGINT)
      _ = await running.result()
    }
  }

  @Test(
    "A device that fails takes no time from those that still connect, or come later",
    arguments: [false, true])
  func shareOfTime(isLate: Bool) async throws {
    var unfit = Self.sensor(1)
    unfit.services = []
    let slow = Self.sensor(2)
    try await withSimulator(world: World(peripherals: [unfit, slow])) { simulated in
      try await simulated.simulator.perform(.peripheral(slow.address, .delayServices(.seconds(2))))
      if isLate { await simulated.simulator.vanish(slow.address) }
      let running = try subscribe(simulated, "--duration", "1s")
      #expect(await running.waitForErrors { $0.contains("no such characteristic") })
      if isLate { await simulated.simulator.appear(slow.address) }
      let result = await running.result()
      #expect(result.errorText.contains("cannot continue with 1 of 2 devices"), "\(result.errorText)")
      #expect(result.text.contains(#""event":"value""#), "\(result.text)")
    }
  }

  @Test(
    "A device that was never subscribed to is named at the end of --duration, with the reason, and the status is 1",
    arguments: [
      ["--duration", "2s"],
      ["--duration", "6s", "--timeout", "2s", "--reconnect", "--reconnect-delay", "200ms"],
    ])
  func neverReached(options: [String]) async throws {
    try await withSimulator(world: World(peripherals: Self.sensors.prefix(2).map(\.self))) { simulated in
      try await simulated.simulator.perform(.peripheral(Self.silent[1], .refuseConnect()))
      let result = try await Blectl(bus: simulated.address).start(
        ["subscribe", "Sensor*", "2a6e", "--all"] + options, limit: .seconds(60)
      ).result()
      #expect(result.status == 1, "\(result.errorText)")
      let reason = options.count == 2 ? "no connection before the end" : "the connection could not be made"
      #expect(
        result.errorText.contains("blectl: cannot connect to \(Self.silent[1]): \(reason)"),
        "\(result.errorText)")
      #expect(result.errorText.contains("cannot continue with 1 of 2 devices"), "\(result.errorText)")
      #expect(!result.errorText.contains("cannot connect to \(Self.silent[0])"), "\(result.errorText)")
    }
  }

  @Test("A device whose subscription was never made is named at the end, with the reason")
  func neverSubscribed() async throws {
    try await withSimulator(world: World(peripherals: Self.sensors.prefix(2).map(\.self))) { simulated in
      let held = CharacteristicReference(device: Self.silent[1], uuid: BluetoothUUID(0x2A6E))
      #expect(try await Blectl(bus: simulated.address).run("connect", Self.silent[1]).status == 0)
      try await simulated.simulator.perform(.otherClient(.hold(held)))
      let result = try await subscribe(simulated, "--duration", "2s", "--reconnect").result()
      #expect(result.status == 1, "\(result.errorText)")
      #expect(
        result.errorText.contains("of \(Self.silent[1]): another program holds"), "\(result.errorText)")
      #expect(result.errorText.contains("cannot continue with 1 of 2 devices"), "\(result.errorText)")
    }
  }

  @Test("A device that was not needed for --count is no failure")
  func notNeeded() async throws {
    try await withSimulator(world: World(peripherals: Self.sensors.prefix(2).map(\.self))) { simulated in
      try await simulated.simulator.perform(.peripheral(Self.silent[1], .hangConnect()))
      let result = try await subscribe(simulated, "--count", "1").result()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(!result.errorText.contains("cannot"), "\(result.errorText)")
    }
  }

  @Test("The error of one of several devices names it")
  func namedError() async throws {
    try await withSimulator(world: World(peripherals: [Self.sensor(1)])) { simulated in
      try await simulated.simulator.perform(.peripheral(Self.silent[0], .dropAfterTime(.milliseconds(500))))
      let result = try await subscribe(simulated, "--timeout", "2s").result()
      #expect(result.status == 1)
      #expect(
        result.errorText.contains("blectl: \(Self.silent[0]): notifications stopped: "),
        "\(result.errorText)")
    }
  }

  @Test("A group whose devices have all failed ends when the time for others is over")
  func allFailed() async throws {
    try await withSimulator(world: World(peripherals: Self.sensors.suffix(3))) { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["subscribe", "Sensor*", "2a99", "--all", "--timeout", "3s"], limit: .seconds(60))
      let result = await running.result()
      #expect(result.status == 1, "\(result.errorText)")
      #expect(result.errorText.contains("cannot continue with 3 of 3 devices"), "\(result.errorText)")
    }
  }

  @Test(
    "A device without the characteristic takes one line, and a beacon has its name and what it is good for")
  func unfitInShort() async throws {
    let beacon = """
      {"address": "C0:5E:00:00:00:02", "name": "Sensor Balcony", "advertisement": {"connectable": false,
       "beacons": [{"bthome": {"temperature": 21.5}}]}}
      """
    let world = """
      {"peripherals": [{"address": "C0:5E:00:00:00:01", "name": "Sensor 1", "services": []}, \(beacon)]}
      """
    try await ToolFolder.with { folder in
      try folder.write(world, to: "w.json")
      let result = try await folder.run(
        "blectl subscribe 'Sensor*' 2a6e --all --timeout 5s --simulate=w.json")
      #expect(result.status == 1)
      let lines = result.errorText.split(separator: "\n").map(String.init)
      #expect(lines.contains("blectl: cannot find 2a6e on C0:5E:00:00:00:01: no such characteristic"))
      #expect(!result.errorText.contains("blectl services"), "\(result.errorText)")
      #expect(
        lines.contains { $0.hasPrefix("blectl: cannot connect to C0:5E:00:00:00:02 (Sensor Balcony): ") },
        "\(result.errorText)")
      #expect(
        lines.contains("hint: blectl listen C0:5E:00:00:00:02 prints the values that it advertises"),
        "\(result.errorText)")
    }
  }

  @Test("Devices that do not answer hold up the others for a slice of time only")
  func turns() async throws {
    try await withSensors { simulated in
      let running = try subscribe(simulated, "--timeout", "5s")
      #expect(await hear(Self.healthy, running))
      #expect(
        await running.waitForErrors { text in
          Self.silent.allSatisfy { text.contains("cannot connect to \($0)") }
        })
      running.send(signal: SIGINT)
      let result = await running.result()
      let held = Self.healthy.filter { result.errorText.contains($0) }
      #expect(held.isEmpty, "\(result.errorText)")
    }
  }

  @Test("With --reconnect a device whose first connection fails is tried again, until it answers")
  func again() async throws {
    try await withSensors { simulated in
      let running = try subscribe(simulated, "--reconnect", "--reconnect-delay", "1s", "--timeout", "5s")
      #expect(await hear(Self.healthy, running))
      #expect(
        await running.waitForErrors { text in
          Self.silent.allSatisfy { text.contains("waiting for \($0)") }
        })
      for address in Self.silent { try await simulated.simulator.perform(.peripheral(address, .heal)) }
      #expect(await hear(Self.silent, running))
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(!result.errorText.contains("cannot"), "\(result.errorText)")
    }
  }

  @Test("--reconnect-limit counts from the loss, however long the scan has heard nothing new")
  func limitFromLoss() async throws {
    try await withSimulator(world: World(peripherals: [Self.sensor(1)])) { simulated in
      let running = try subscribe(simulated, "--reconnect", "--reconnect-limit", "4s")
      // A value comes each 100 ms, and nothing else.
      #expect(await running.waitForLines(60))
      await simulated.simulator.killDaemon()
      try await simulated.simulator.startDaemon()
      #expect(await running.waitForOutput { $0.contains("reconnected") })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(!result.errorText.contains("cannot"), "\(result.errorText)")
    }
  }

  @Test("When every device was given up, the error says so")
  func givenUp() async throws {
    try await withSimulator(world: World(peripherals: [Self.sensor(1)])) { simulated in
      try await simulated.simulator.perform(.peripheral(Self.silent[0], .hangConnect()))
      let running = try subscribe(simulated, "--reconnect", "--reconnect-limit", "1s", "--timeout", "2s")
      let result = await running.result()
      #expect(result.status == 1)
      #expect(result.errorText.contains("cannot connect to \(Self.silent[0])"))
      #expect(result.errorText.contains("cannot continue with 1 of 1 devices"))
    }
  }

  @Test("With --reconnect the first device is waited for, until --reconnect-limit")
  func noneYet() async throws {
    try await withSimulator(world: World(peripherals: [Self.sensor(1)])) { simulated in
      await simulated.simulator.vanish(Self.silent[0])
      let blectl = Blectl(bus: simulated.address)
      let options = ["subscribe", "Sensor*", "2a6e", "--all", "--reconnect", "--timeout", "200ms"]
      let limited = try await blectl.start(options + ["--reconnect-limit", "500ms"], limit: .seconds(60))
        .result()
      #expect(limited.status == 4)
      #expect(limited.errorText.contains("cannot find Sensor*: none was found before the timeout"))

      let running = try blectl.start(options + ["--count", "1"], limit: .seconds(60))
      #expect(await running.waitForErrors { $0 == "waiting for Sensor*\n" })
      await simulated.simulator.appear(Self.silent[0])
      #expect(await running.result().status == 0)
    }
  }
}
