// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// What `listen` makes of advertisements, and how it survives whatever Bluetooth does.
  @Suite("Listening", .serialized)
  struct Listening {
    /// Runs a test, and leaves bluetoothd running, and its adapter on, behind it.
    private func onStage(_ body: (any Stage, Blectl) async throws -> Void) async throws {
      let stage = try await Stages.shared.value
      do {
        try await body(stage, Blectl(bus: stage.address))
      } catch {
        try? await stage.startBus()
        try? await stage.startDaemon()
        try? await stage.switchOn()
        throw error
      }
    }

    private func events(_ result: ToolResult) throws -> [String] {
      try result.records.compactMap { $0["event"]?.text }
    }

    @Test("Each sensor's values are printed once, however often it repeats them")
    func repeats() async throws {
      try await onStage { _, blectl in
        let running = try blectl.start(["listen", "--json"], limit: .seconds(300))
        let sensors = [BuiltIn.ruuvi, BuiltIn.bthome, BuiltIn.eddystone, BuiltIn.iBeacon]
        #expect(await running.waitForOutput { text in sensors.allSatisfy { text.contains("\($0)") } })
        // Each is heard many times meanwhile.
        let heard = try await blectl.run(
          "scan", "--address", "\(BuiltIn.bthome)", "--duplicates", "--count", "8", "--duration", "120s", "-q"
        )
        #expect(heard.lines.count >= 8, "\(heard.errorText)")
        running.send(signal: SIGINT)
        let result = await running.result()
        #expect(result.signal == SIGINT)
        let values = try result.records.filter { $0["event"]?.text == "value" }
        for sensor in sensors {
          #expect(values.count { $0["address"]?.text == "\(sensor)" } == 1, "\(sensor)")
        }
        let garden = values.first { $0["address"]?.text == "\(BuiltIn.bthome)" }
        #expect(garden?["type"]?.text == "bthome")
        #expect(garden?["decoded"]?["temperature_celsius"]?.real == 25.06)
        #expect(garden?["decoded"]?["rssi_dbm"]?.number != nil)
        #expect(garden?["via"]?.text == "advertisement")
        #expect(try events(result).first == "started")
      }
    }

    @Test("A scan for a service finds the sensors that send only data of it")
    func serviceData() async throws {
      try await onStage { _, blectl in
        let result = try await blectl.run(
          "scan", "--service", "fcd2", "--count", "1", "--duration", "120s", "--json")
        #expect(try result.records.first?["address"]?.text == "\(BuiltIn.bthome)", "\(result.errorText)")
      }
    }

    @Test(
      "Bluetoothd may be away at the start, and die: one line says what is missing, and the gap is recorded")
    func daemon() async throws {
      try await onStage { stage, blectl in
        try await stage.killDaemon()
        let running = try blectl.start(
          ["listen", "\(BuiltIn.bthome)", "--all", "--json"], limit: .seconds(400))
        #expect(await running.waitForErrors { $0.contains("waiting for bluetoothd\n") })
        try await stage.startDaemon()
        #expect(await running.waitForOutput { $0.contains(#""event":"value""#) })
        try await stage.killDaemon()
        #expect(await running.waitForOutput { $0.contains(#""event":"interrupted""#) })
        try await stage.startDaemon()
        #expect(await hears(after: #""event":"resumed""#, running))
        running.send(signal: SIGINT)
        let result = await running.result()
        let notices = result.errorText.split(separator: "\n")
        #expect(notices.count { $0 == "waiting for bluetoothd" } == 2, "\(result.errorText)")
        let records = try result.records.filter { $0["event"]?.text != "value" }
        #expect(records.compactMap { $0["event"]?.text } == ["started", "interrupted", "resumed"])
        #expect(records[1]["reason"]?.text?.contains("Bluetooth service") == true)
        #expect((records[2]["gap_seconds"]?.real ?? 0) > 0)
      }
    }

    @Test("The adapter may be off at the start, and be switched off later")
    func adapter() async throws {
      try await onStage { stage, blectl in
        #expect(try await blectl.run("adapter", "off").status == 0)
        let running = try blectl.start(
          ["listen", "\(BuiltIn.bthome)", "--all", "--json"], limit: .seconds(400))
        #expect(
          await running.waitForErrors {
            $0.contains("waiting for the adapter to be switched on (blectl adapter on)\n")
          })
        #expect(try await blectl.run("adapter", "on").status == 0)
        #expect(await running.waitForOutput { $0.contains(#""event":"value""#) })
        #expect(try await blectl.run("adapter", "off").status == 0)
        #expect(await running.waitForOutput { $0.contains(#""event":"interrupted""#) })
        #expect(try await blectl.run("adapter", "on").status == 0)
        #expect(await hears(after: #""event":"resumed""#, running))
        running.send(signal: SIGTERM)
        #expect(await running.result().signal == SIGTERM)
      }
    }

    @Test(
      "A bus that ends takes nothing with it: listen, scan and monitor with --reconnect go on over the next one",
      arguments: [
        ["listen", "\(BuiltIn.bthome)", "--all"],
        ["scan", "--address", "\(BuiltIn.bthome)", "--duration", "0", "--duplicates", "--reconnect"],
        ["monitor", "--address", "\(BuiltIn.bthome)", "--scan", "--rssi", "--reconnect"],
      ])
    func bus(_ command: [String]) async throws {
      try await onStage { stage, blectl in
        let running = try blectl.start(command + ["--json"], limit: .seconds(400))
        #expect(await running.waitForOutput { $0.contains("\(BuiltIn.bthome)") })
        try await stage.killBus()
        #expect(await running.waitForErrors { $0.contains("waiting for the bus\n") })
        try await stage.startBus()
        try await stage.startDaemon()
        #expect(await hears(after: #""event":"resumed""#, running))
        running.send(signal: SIGINT)
        let result = await running.result()
        #expect(result.signal == SIGINT)
        let events = try events(result).filter { ["started", "interrupted", "resumed"].contains($0) }
        #expect(events == ["started", "interrupted", "resumed"])
      }
    }

    @Test("A sensor that falls silent is absent, and returns, with its silence")
    func absence() async throws {
      try await onStage { stage, _ in
        try await Contract.silence(of: BuiltIn.bthome, on: stage, "--absent", "5s")
      }
    }

    /// Waits until the sensor is heard after a record with some text.
    private func hears(after text: String, _ running: ToolRun) async -> Bool {
      await running.waitForOutput { output in
        let lines = output.split(separator: "\n")
        guard let start = lines.firstIndex(where: { $0.contains(text) }) else { return false }
        return lines[start...].contains { $0.contains("\(BuiltIn.bthome)") }
      }
    }
  }

  /// Lets a sensor fall silent, and send again, while `listen` with some options follows it.
  static func silence(of sensor: BluetoothAddress, on stage: any Stage, _ options: String...) async throws {
    let running = try Blectl(bus: stage.address).start(
      ["listen", "\(sensor)", "--json"] + options, limit: .seconds(300))
    #expect(await running.waitForOutput { $0.contains(#""event":"value""#) })
    try await stage.hide("\(sensor)")
    let isAbsent = await running.waitForOutput { $0.contains(#""event":"absent""#) }
    try await stage.show("\(sensor)")
    #expect(isAbsent)
    #expect(await running.waitForOutput { $0.contains(#""event":"returned""#) })
    running.send(signal: SIGINT)
    let records = try await running.result().records
    let value = try #require(records.first { $0["event"]?.text == "value" })
    #expect(value["decoded"]?["temperature_celsius"]?.real == 25.06)
    let returned = try #require(records.last { $0["event"]?.text == "returned" })
    #expect(returned["address"]?.text == "\(sensor)")
    #expect(try #require(returned["silence_seconds"]?.real) >= 5)
  }

  /// A beacon of the first adapter, whose values change, and what the second one hears.
  @Suite("Changing beacons", .serialized)
  struct ChangingBeacons {
    @Test("Each change is a record once, in every output alike; a counter that goes on counts too")
    func changes() async throws {
      let folder = try ScratchDirectory()
      let blectl = Blectl(bus: try await Stages.twoAdapters.value.address)
      let running = try blectl.start(
        [
          "listen", "Changing", "-i", "hci1", "--type", "bthome", "--json",
          "--log", "\(folder.path)/air.ndjson", "--log", "\(folder.path)/air.csv",
          "--log", "\(folder.path)/air.sqlite", "--log", "influx:\(folder.path)/air.lp",
        ], limit: .seconds(400))
      let story = [
        "packet_id=1,temperature=21.5", "packet_id=2,temperature=21.5", "packet_id=3,temperature=-4",
        "packet_id=3,battery=80", "packet_id=4,temperature=21.5",
      ]
      try await ServingStage.run { manager, _ in
        try await ServingStage.advertise(story, by: manager, heardBy: running)
      }
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.errorText.isEmpty)
      #expect(result.text == folder.read("air.ndjson"))
      let values = try result.records.filter { $0["event"]?.text == "value" }
      let temperatures = [21.5, 21.5, -4, nil, 21.5]
      #expect(values.map { $0["decoded"]?["temperature_celsius"]?.real } == temperatures)
      #expect(values.map { $0["decoded"]?["packet_id"]?.number } == [1, 2, 3, 3, 4])
      #expect(values.map { $0["decoded"]?["battery_percent"]?.number } == [nil, nil, nil, 80, nil])
      let table = folder.read("air.csv").split(separator: "\r\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      let column = try #require(table[0].firstIndex(of: "temperature_celsius"))
      let rows = table.filter { $0[1] == "value" }
      #expect(rows.map { Double($0[column]) } == temperatures)
      #expect(rows.map { $0[0] } == values.compactMap { $0["time"]?.text })
      let points = folder.read("air.lp").split(separator: "\n").filter { $0.hasPrefix("bluetooth,") }
      #expect(points.count == story.count)
      let query = """
        import sqlite3, sys
        print(sqlite3.connect(sys.argv[1]).execute(
          'SELECT packet_id, temperature_celsius FROM advertisement ORDER BY id').fetchall())
        """
      let database = try await ToolRun(
        "/usr/bin/python3", ["-c", query, folder.path + "/air.sqlite"], environment: [:]
      ).result()
      #expect(
        database.text == "[(1, 21.5), (2, 21.5), (3, -4.0), (3, None), (4, 21.5)]\n", "\(database.errorText)")
    }
  }
}
