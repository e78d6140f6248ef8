// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `doctor DEVICE`: its steps, its records, and its outages; its findings have suites of their own.
@Suite("Doctor of devices")
struct DeviceDoctorTests: DoctorPlay {
  @Test("A healthy device passes each stage, and the command leaves no link and no bond")
  func healthy() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let result = try await blectl.run("doctor", "Heart Strap", "--json")
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.errorText.isEmpty)
      let records = try result.records
      let stages = records.compactMap { $0["stage"]?.text }
      let statuses = Set(records.compactMap { $0["status"]?.text })
      let order = [
        "bluetoothd", "known", "heard", "connect", "link", "services", "read", "pairing", "disconnect",
      ]
      #expect(order.filter(stages.contains) == order)
      #expect(statuses == ["ok"], "\(result.text)")
      let heard = records.first { $0["stage"]?.text == "heard" }
      #expect(heard?["address_type"]?.text == "random" && heard?["rssi"]?.number != nil)
      let link = records.first { $0["stage"]?.text == "link" }
      #expect(link?["mtu"]?.number == 517)
      let read = records.filter { $0["stage"]?.text == "read" }.compactMap { $0["message"]?.text }
      #expect(read.contains { $0.contains(/^2a19 Battery Level: \d+ %  [0-9a-f]{2}$/) }, "\(read)")
      #expect(records.last?["healthy"]?.flag == true && records.last?["cause"] == nil)
      #expect(await !simulated.simulator.isConnected(Address.strap))
      // The second time, BlueZ has the services.
      let again = try await blectl.run("doctor", "Heart Strap", "--json").records
      let services = again.first { $0["stage"]?.text == "services" }
      #expect(services?["cached"]?.flag == true)
    }
  }

  @Test("Over the link of another program, nothing is listened for, and the link stays")
  func joined() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", Address.strap, "-q").status == 0)
      let result = try await blectl.run("doctor", Address.strap)
      #expect(result.status == 0, "\(result.errorText)")
      let fields = result.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(fields.allSatisfy { $0.count == 4 })
      #expect(fields.contains { $0[2] == "link" && $0[3].hasPrefix("another program opened it") })
      #expect(fields.last?.prefix(3) == ["ok", "", "healthy"])
      #expect(await simulated.simulator.isConnected(Address.strap))
    }
  }

  @Test("Behind a value that is not answered, others are not blamed while another program keeps the link")
  func unansweredOverSharedLink() async throws {
    var world = World.contract
    world.peripherals = [
      Self.lamp(
        with: Self.plain, CharacteristicSpec(BluetoothUUID(0xFFF2), 0x02, faults: [Self.never]),
        CharacteristicSpec(BluetoothUUID(0xFFF3), 0x02, value: [3]))
    ]
    try await withSimulator(world: world) { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", Self.lamp, "-q").status == 0)
      let result = try await blectl.run("doctor", Self.lamp, "--json")
      let last = try #require(try result.records.last)
      #expect(last["cause"]?.text == "silent_value", "\(result.text)")
      #expect(
        last["evidence"]?.elements.map(\.text) == ["fff2: no answer before the timeout"], "\(result.text)")
      #expect(result.text.contains("no other values: another program keeps the link"), "\(result.text)")
    }
  }

  @Test("A name that several devices have is an error that lists them")
  func ambiguous() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run("doctor", "*")
      #expect(result.status == 4)
      #expect(result.errorText.contains("cannot choose a device: '*' matches "), "\(result.errorText)")
    }
  }

  @Test("On a terminal, the steps are aligned, and no line is too long")
  func terminal() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      try await simulated.simulator.perform(.peripheral(Address.strap, .loseAdverts()))
      let result = try await blectl.onTerminal(
        ["doctor", Address.strap, "--timeout", "4s", "--color", "never"])
      let lines = result.text.split(whereSeparator: \.isNewline)
      #expect(lines.contains { $0.contains(/fail +\d\.\d\d s  heard       not heard in/) }, "\(lines)")
      #expect(lines.contains { $0.contains("→ blectl scan") })
      for line in lines where !line.hasPrefix("blectl: ") && !line.hasPrefix("hint: ") {
        #expect(line.count <= 80, "\(line)")
      }
    }
  }

  @Test("All causes are listed, the weightiest first, and a step shows how long it took")
  func several() async throws {
    try await withSimulator { simulated in
      let silence = AnswerFault(.never)
      try await play(
        [
          Self.fault(.setRSSI(-97)), Self.fault(.delayServices(.seconds(6))),
          .fault(.characteristic(BluetoothUUID(0x2A38), of: Self.strap, .answer(silence))),
        ], on: simulated)
      let result = try await Blectl(bus: simulated.address).run(
        "doctor", Self.strap, "--json", "--timeout", "60s")
      #expect(result.status == 1)
      let records = try result.records
      let findings = records.last?["findings"]?.elements ?? []
      #expect(
        findings.map { $0["cause"]?.text } == ["silent_value", "weak_signal", "slow_services"],
        "\(result.text)")
      #expect(findings.map { $0["status"]?.text } == ["fail", "warn", "warn"])
      // The values behind the one that is not answered are read.
      let read = records.filter { $0["stage"]?.text == "read" && $0["status"]?.text == "ok" }
      #expect(!read.isEmpty)
      let connect = records.first { $0["stage"]?.text == "connect" }
      #expect((connect?["duration_seconds"]?.real ?? 0) >= 6)
      #expect(connect?["message"]?.text?.contains(", its services 6.") == true, "\(result.text)")
    }
  }

  @Test("Equal attempts are one line")
  func folded() async throws {
    try await withSimulator { simulated in
      try await play([Self.fault(.refuseConnect())], on: simulated)
      let result = try await Blectl(bus: simulated.address).run("doctor", Self.strap, "--json")
      let records = try result.records
      let attempts = records.filter { $0["stage"]?.text == "connect" }
      #expect(attempts.count == 3, "\(result.text)")
      #expect(attempts.dropFirst().first?["message"]?.text?.hasSuffix(": the same") == true)
      let evidence = records.last?["evidence"]?.elements.compactMap(\.text) ?? []
      #expect(evidence.count { $0.hasPrefix("attempt") } == 1, "\(evidence)")
      #expect(evidence.last?.hasPrefix("attempts 1 to ") == true, "\(evidence)")
    }
  }

  @Test("A bluetoothd that hangs while the device is listened for is the cause")
  func hangsWhileListening() async throws {
    try await withSimulator { simulated in
      try await play([Self.fault(.loseAdverts())], on: simulated)
      let doctor = try Blectl(bus: simulated.address).start([
        "doctor", Self.strap, "--json", "--timeout", "8s",
      ])
      #expect(await doctor.waitForOutput { $0.contains(#""stage":"known""#) })
      try await play([.fault(.daemon(.freeze))], on: simulated)
      let result = await doctor.result()
      try expectOutage("bluetoothd_hangs", "sudo systemctl restart bluetooth", result)
    }
  }

  @Test("A scan that bluetoothd refuses is a step that fails, and the cause")
  func refusedScan() async throws {
    try await withSimulator { simulated in
      try await play([Self.failing("StartDiscovery", .failed("not now"))], on: simulated)
      let result = try await Blectl(bus: simulated.address).run("doctor", Self.strap, "--json")
      #expect(result.status == 1, "\(result.text)")
      let heard = try result.records.first { $0["stage"]?.text == "heard" }
      #expect(heard?["status"]?.text == "fail", "\(result.text)")
      #expect(heard?["message"]?.text?.hasPrefix("cannot scan: ") == true, "\(result.text)")
      #expect(result.errorText.contains(": bluetoothd cannot scan: "), "\(result.errorText)")
    }
  }

  @Test("A device is listened for after the link that BlueZ showed was not there")
  func staleLink() async throws {
    // BlueZ takes its 2 s to close the link of the command before.
    try await withSimulator(timing: SimulatorTiming()) { simulated in
      try await play(
        [.command("read \(Self.strap) 2a19"), Self.fault(.changeAddress("5B:A2:11:B8:1C:FD"))],
        on: simulated)
      let result = try await Blectl(bus: simulated.address).run(
        "doctor", Self.strap, "--json", "--timeout", "6s")
      let diagnosis = try #require(try result.records.last)
      #expect(diagnosis["cause"]?.text == "address_rotated", "\(result.text)")
      #expect(diagnosis["fix"]?.text == "blectl doctor 5B:A2:11:B8:1C:FD", "\(result.text)")
    }
  }

  @Test("Where nothing answers, there is still a record, and the status is 3")
  func outages() async throws {
    try await withSimulator { simulated in
      try await play([.fault(.daemon(.freeze))], on: simulated)
      let result = try await Blectl(bus: simulated.address).run(
        "doctor", Self.strap, "--json", "--timeout", "4s")
      try expectOutage("bluetoothd_hangs", "sudo systemctl restart bluetooth", result)
    }
    let result = try await Blectl(bus: "unix:path=/nonexistent").run("doctor", Self.strap, "--json")
    try expectOutage("no_bus", "blectl doctor", result)
  }

  func expectOutage(_ cause: String, _ fix: String, _ result: ToolResult) throws {
    #expect(result.status == 3, "\(result.text) \(result.errorText)")
    let diagnosis = try #require(try result.records.last)
    #expect(diagnosis["cause"]?.text == cause, "\(result.text)")
    #expect(diagnosis["fix"]?.text?.hasPrefix(fix) == true, "\(result.text)")
    #expect(result.errorText.contains("\nhint: \(fix)"), "\(result.errorText)")
  }
}
