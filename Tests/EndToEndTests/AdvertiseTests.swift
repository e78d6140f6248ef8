// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// A second adapter hears what the first one advertises, and a scan decodes it to the same values.
@Suite("Advertising")
struct AdvertiseTests {
  /// A computer with two adapters, and nothing else on the air.
  private static let twoAdapters: World = {
    var world = World(peripherals: [])
    world.setAdapterCount(2)
    return world
  }()

  /// Advertises until Ctrl-C, and lets `body` look at the record of the start.
  private func advertising(
    _ arguments: [String], _ body: (SimulatedBus, JSONRecord) async throws -> Void = { _, _ in }
  ) async throws -> ToolResult {
    try await withSimulator(world: Self.twoAdapters) { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["advertise", "-i", "hci0", "--json"] + arguments)
      #expect(await running.waitForLines(1))
      let first = String(decoding: await running.outputSoFar(), as: UTF8.self).split(separator: "\n").first
      let started = try #require(try JSONRecord.parse([String(first ?? "{}")]).first)
      try await body(simulated, started)
      running.send(signal: SIGINT)
      return await running.result()
    }
  }

  private static let beacons: [(arguments: [String], type: String, values: [String: String])] = [
    (
      ["--ibeacon", "e2c56db5-dffb-48d2-b060-d0f5a71096e0,1,0x203,-61"], "ibeacon",
      [
        "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": "1", "minor": "515",
        "rssi_at_1m_dbm": "-61",
      ]
    ),
    (
      ["--altbeacon", "0102030405060708090a0b0c0d0e0f1011121314,-70"], "altbeacon",
      ["id": "0102030405060708090a0b0c0d0e0f1011121314", "rssi_at_1m_dbm": "-70"]
    ),
    (
      ["--altbeacon", "ffff:e2c56db5-dffb-48d2-b060-d0f5a71096e0,1,2"], "altbeacon",
      ["id": "e2c56db5dffb48d2b060d0f5a71096e000010002", "rssi_at_1m_dbm": "-59"]
    ),
    (
      ["--eddystone-url", "https://example.com/12"], "eddystone-url",
      ["url": "https://example.com/12", "tx_power_dbm": "-18"]
    ),
    (
      ["--eddystone-uid", "00010203040506070809,0a0b0c0d0e0f,-10"], "eddystone-uid",
      ["namespace": "00010203040506070809", "instance": "0a0b0c0d0e0f", "tx_power_dbm": "-10"]
    ),
    (
      ["--bthome", "temperature=21.5,battery=80,motion=yes", "--name", "Garden"], "bthome",
      ["temperature_celsius": "21.5", "battery_percent": "80"]
    ),
  ]

  @Test("A scan on a second adapter decodes the values that were given", arguments: beacons.indices)
  func beacon(_ index: Int) async throws {
    let (arguments, type, values) = Self.beacons[index]
    _ = try await advertising(arguments) { simulated, started in
      let scan = try await Blectl(bus: simulated.address).run(
        "scan", "-i", "hci1", "--json", "--count", "1", "--duration", "60s")
      let heard = try #require(try scan.records.first)
      for record in [started, heard] {
        let beacon = try #require(record["beacon"])
        #expect(beacon["type"]?.text == type)
        for (key, value) in values {
          let shown = beacon[key].flatMap { $0.text ?? $0.number.map(String.init) ?? $0.real.map { "\($0)" } }
          #expect(shown == value, "\(key)")
        }
      }
      #expect(heard["address_type"]?.text == "random")
    }
  }

  @Test("Name, services and raw data are heard as they were given, and centrals can connect")
  func rawData() async throws {
    let arguments = [
      "--name", "Desk", "--service", "heart-rate", "--service", "180f", "--manufacturer", "ffff:01:02",
      "--service-data", "battery:50", "--connectable",
    ]
    let result = try await advertising(arguments) { simulated, started in
      let blectl = Blectl(bus: simulated.address)
      let scan = try await blectl.run(
        "scan", "-i", "hci1", "--json", "--count", "1", "--duration", "60s", "--name", "Desk")
      let heard = try #require(try scan.records.last)
      for record in [started, heard] {
        #expect(record["name"]?.text == "Desk")
        #expect(
          record["services"]?.elements.map(\.text) == [
            "0000180d-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb",
          ])
        #expect(record["manufacturer_data"]?["ffff"]?.text == "0102")
        #expect(record["service_data"]?["0000180f-0000-1000-8000-00805f9b34fb"]?.text == "50")
      }
      #expect(started["connectable"]?.flag == true)
      #expect(heard["address_type"]?.text == "public")
      #expect(try await blectl.run("connect", "Desk", "-i", "hci1").status == 0)
    }
    #expect(result.errorText.contains("advertising on hci0: "), "\(result.errorText)")
  }

  @Test("Ctrl-C ends the advertisement, with a record and the status of a signal")
  func interrupted() async throws {
    try await withSimulator(world: Self.twoAdapters) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let running = try blectl.start(["advertise", "--name", "Desk", "--json"])
      #expect(await running.waitForLines(1))
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      let records = try result.records
      #expect(records.map { $0["event"]?.text } == ["started", "ended"])
      #expect(records.map { $0["adapter"]?.text } == ["hci0", "hci0"])
      #expect(records.last?["reason"]?.text == "interrupted")
      let scan = try await blectl.run("scan", "-i", "hci1", "--duration", "3s")
      #expect(scan.text == "")
    }
  }

  @Test("--duration ends an advertisement with status 0")
  func duration() async throws {
    let result = try await Blectl().run(
      "advertise", "--bthome", "battery=80", "--duration", "10ms", "--json", "--simulate")
    #expect(result.status == 0)
    #expect(try result.records.map { $0["event"]?.text } == ["started", "ended"])
    #expect(try result.records.last?["reason"]?.text == "duration")
    #expect(
      result.errorText == "advertising on hci0: BTHome battery 80 %; press Ctrl-C to stop\n",
      "\(result.errorText)")
    let quiet = try await Blectl().run(
      "advertise", "--name", "Desk", "--duration", "10ms", "-q", "--simulate")
    #expect(quiet.status == 0 && quiet.text.isEmpty && quiet.errorText.isEmpty)
  }

  @Test(
    "An advertisement is on the air again when bluetoothd has restarted, and when the adapter is on again",
    arguments: [["-i", "hci0"], []])
  func outages(adapter: [String]) async throws {
    try await withSimulator(world: Self.twoAdapters) { simulated in
      let simulator = simulated.simulator
      let blectl = Blectl(bus: simulated.address)
      let running = try blectl.start(
        ["advertise", "--eddystone-url", "https://example.com", "--json"] + adapter)
      #expect(await running.waitForLines(1))
      await simulator.killDaemon()
      #expect(await running.waitForLines(2))
      try await simulator.startDaemon()
      #expect(await running.waitForLines(3))
      await simulator.setPowered(false, adapter: "hci0")
      #expect(await running.waitForLines(4))
      await simulator.setPowered(true, adapter: "hci0")
      #expect(await running.waitForLines(5))
      let scan = try await blectl.run("scan", "-i", "hci1", "--json", "--count", "1", "--duration", "60s")
      #expect(try scan.records.first?["beacon"]?["type"]?.text == "eddystone-url")
      running.send(signal: SIGTERM)
      let result = await running.result()
      #expect(result.signal == SIGTERM)
      let records = try result.records
      #expect(
        records.map { $0["reason"]?.text ?? $0["event"]?.text } == [
          "started", "service-unavailable", "started", "powered-off", "started", "interrupted",
        ])
      #expect(
        result.errorText.split(separator: "\n").dropFirst() == [
          "not advertising on hci0: bluetoothd has ended; waiting for its return",
          "advertising again on hci0", "not advertising on hci0: the adapter is off; waiting for its return",
          "advertising again on hci0",
        ], "\(result.errorText)")
    }
  }

  @Test("The end of the bus ends an advertisement with the reason")
  func lostBus() async throws {
    try await withSimulator(world: Self.twoAdapters) { simulated in
      let running = try Blectl(bus: simulated.address).start(["advertise", "--name", "Desk", "--json"])
      #expect(await running.waitForLines(1))
      await simulated.stop()
      let result = await running.result()
      #expect(result.status == 3)
      #expect(try result.records.last?["event"]?.text == "ended")
      #expect(result.errorText.contains("the connection to the bus is lost"), "\(result.errorText)")
    }
  }
}
