// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `doctor DEVICE`: each cause is found, and named with the evidence and with what helps.
@Suite("Doctor of devices")
struct DeviceDoctorTests {
  /// What is wrong with a device, and what is said about it.
  struct Case: Sendable, CustomTestStringConvertible {
    /// What happens before the attempt.
    enum Step: Sendable {
      case command(String)
      case fault(ControlCommand)
    }

    let cause: String
    var device = Address.strap
    var steps: [Step] = []
    var events: [WorldEvent] = []
    var peripherals: [PeripheralSpec] = []
    var timeout = "20s"
    var bluez = BlueZRelease.v5_66
    var status: Int32 = 1
    let fix: String
    let evidence: String

    var testDescription: String { "\(cause), BlueZ \(bluez.rawValue)" }
  }

  private static let strap = Address.strap
  private static let lamp = "C0:00:00:00:00:01"
  private static let justWorks = "C7:B0:4D:00:00:01"
  private static let refuses = "C7:B0:4D:00:00:06"
  private static let visit: [Case.Step] = [.command("connect \(strap)"), .command("disconnect \(strap)")]

  private static func fault(_ action: PeripheralAction, of device: String = strap) -> Case.Step {
    .fault(.peripheral(device, action))
  }

  /// Lamp, with characteristics that can be read.
  private static func lamp(with characteristics: CharacteristicSpec...) -> PeripheralSpec {
    PeripheralSpec(
      address: lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60),
      services: [ServiceSpec(BluetoothUUID(0xFFF0), characteristics)])
  }

  private static let plain = CharacteristicSpec(BluetoothUUID(0xFFF1), 0x02, value: [1])
  /// Lamp, whose battery level requires better keys than those of Just Works.
  private static let weakLamp = PeripheralSpec(
    address: lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60),
    services: [
      ServiceSpec(
        BluetoothUUID(0x180F),
        [CharacteristicSpec(BluetoothUUID(0x2A19), 0x02, value: [57], security: .authenticated)]),
      ServiceSpec(BluetoothUUID(0xFFF0), [plain]),
    ])
  private static let never = CharacteristicAction.answer(AnswerFault(.never))

  private static func refusal(_ text: String) -> Case.Step {
    fault(.refuseConnect(BlueZError("org.bluez.Error.Failed", text)))
  }

  private static func hanging(_ trigger: WorldEvent.Trigger) -> Case {
    Case(
      cause: "bluetoothd_hangs", events: [WorldEvent(trigger, .daemon(.freeze))], timeout: "6s", status: 3,
      fix: "sudo systemctl restart bluetooth", evidence: "")
  }

  static let cases: [Case] = [
    Case(
      cause: "adapter_off", steps: [.fault(.adapter(.switchOff))], status: 3, fix: "blectl adapter on",
      evidence: ""),
    Case(
      cause: "adapter_off", steps: [.fault(.adapter(.remove))], status: 3, fix: "blectl adapter list",
      evidence: ""),
    Case(
      cause: "adapter_silent", steps: [.fault(.adapter(.silence(until: .reset)))], timeout: "4s",
      fix: "blectl adapter reset", evidence: "nor was any other device"),
    Case(
      cause: "no_slots", steps: [refusal("le-connection-concurrent-connection-limit")],
      fix: "blectl devices --connected", evidence: "concurrent-connection-limit"),
    Case(
      cause: "not_heard", device: "C0:00:00:00:00:0D", timeout: "4s", fix: "blectl scan",
      evidence: "BlueZ does not know it"),
    Case(
      cause: "connected_elsewhere", steps: visit + [fault(.loseAdverts())], timeout: "4s",
      fix: "with Bluetooth of the phone", evidence: "BlueZ knows it from before"),
    Case(
      cause: "not_connectable", device: Address.beacon, fix: "blectl scan --address \(Address.beacon)",
      evidence: "BlueZ forgot it 3 times"),
    Case(
      cause: "weak_signal", steps: [fault(.setRSSI(-95)), fault(.refuseConnect())], timeout: "6s",
      fix: "blectl scan --address \(strap) --duplicates", evidence: "-9"),
    Case(
      cause: "no_link", steps: [refusal("le-connection-refused")], fix: "restart the device",
      evidence: "no link after"),
    Case(
      cause: "no_link", steps: [.fault(.adapter(.ignoreConnects(until: .reset)))], timeout: "6s",
      fix: "blectl adapter reset", evidence: "no link after"),
    Case(
      cause: "services_unresolved", steps: [fault(.delayServices(.seconds(3600)))], timeout: "5s",
      fix: "blectl forget \(strap)", evidence: "but no services after"),
    Case(
      cause: "link_drops", steps: [fault(.dropAfterTime(.milliseconds(300)))], fix: "btmon -w",
      evidence: "the link was lost"),
    Case(
      cause: "link_drops",
      steps: [fault(.delayServices(.seconds(1))), fault(.dropAfterTime(.milliseconds(100)))], timeout: "6s",
      bluez: .v5_87, fix: "btmon -w", evidence: ": the device ended it"),
    Case(
      cause: "stale_cache", steps: visit + [fault(.moveAttributes(by: 200))], fix: "blectl forget \(strap)",
      evidence: "BlueZ had the services from an earlier link"),
    Case(
      cause: "needs_pairing", device: lamp,
      peripherals: [lamp(with: CharacteristicSpec(BluetoothUUID(0xFFF2), 0x02, security: .encrypted))],
      fix: "blectl pair \(lamp)", evidence: "it is not paired"),
    // Nothing can be read, and what notifies is protected.
    Case(
      cause: "needs_pairing", device: lamp,
      peripherals: [lamp(with: CharacteristicSpec(BluetoothUUID(0xFFF2), 0x10, security: .encrypted))],
      fix: "blectl pair \(lamp)", evidence: "fff2: the device requires pairing"),
    Case(
      cause: "pairing_refused", device: refuses, steps: [fault(.appear, of: refuses)],
      fix: "blectl pair \(refuses) tells why", evidence: "without that, the link stands"),
    Case(
      cause: "pairing_too_weak", device: lamp,
      steps: [.command("pair \(lamp)"), .command("disconnect \(lamp)")], peripherals: [weakLamp],
      timeout: "6s", fix: "blectl unpair \(lamp), and pair again with --passkey N",
      evidence: "BlueZ is paired with it"),
    Case(
      cause: "pairing_too_weak", device: lamp,
      steps: [.command("pair \(lamp)"), .command("disconnect \(lamp)")], peripherals: [weakLamp],
      timeout: "6s", bluez: .v5_87, fix: "blectl unpair \(lamp), and pair again with --passkey N",
      evidence: "BlueZ is paired with it"),
    Case(
      cause: "bond_lost", device: justWorks,
      steps: [
        fault(.appear, of: justWorks), .command("pair \(justWorks)"), .command("disconnect \(justWorks)"),
        fault(.forgetBonds, of: justWorks),
      ],
      fix: "blectl unpair \(justWorks), then blectl pair", evidence: "BlueZ is paired with it"),
    Case(
      cause: "address_rotated", device: "70:81:94:0D:FB:AA",
      steps: [
        fault(.changeAddress("70:81:94:0D:FB:AA")), .command("scan --count 20 --duration 2s"),
        fault(.changeAddress("5B:A2:11:B8:1C:FD")),
      ], timeout: "4s",
      fix: "blectl doctor 5B:A2:11:B8:1C:FD",
      evidence: "a device of the same name is heard from 5B:A2:11:B8:1C:FD"),
    Case(
      cause: "blocked", steps: [.command("connect \(strap)"), .command("block \(strap)")],
      fix: "blectl unblock \(strap)", evidence: "blocked"),
    Case(
      cause: "no_answer", device: lamp,
      peripherals: [lamp(with: CharacteristicSpec(BluetoothUUID(0xFFF2), 0x02, faults: [never]))],
      fix: "restart the device", evidence: "fff2: no answer"),
    Case(
      cause: "silent_value",
      steps: [.fault(.characteristic(BluetoothUUID(0x2A38), of: strap, .answer(AnswerFault(.never))))],
      fix: "restart the device", evidence: "2a38: no answer"),
    Case(
      cause: "bluetoothd_fault", events: [WorldEvent(.connected(device: strap), .daemon(.kill))], status: 3,
      fix: "blectl forget \(strap)", evidence: "BlueZ 5.66 may end at each connection"),
    Case(
      cause: "bluetoothd_fault", steps: [.fault(.daemon(.kill))], status: 3,
      fix: "sudo systemctl start bluetooth", evidence: ""),
    // It hangs as the link opens, as a value is read, and while the link is watched.
    hanging(.connected(device: strap)), hanging(.operations(device: strap, 3)),
    hanging(.connected(device: strap, after: .seconds(1))),
  ]

  @Test("A cause is found, with its evidence and what helps", arguments: cases)
  func cause(_ test: Case) async throws {
    var world = World.contract
    (world.events, world.bluez) = (test.events, test.bluez)
    world.peripherals += test.peripherals
    try await withSimulator(world: world) { simulated in
      try await play(test.steps, on: simulated)
      let blectl = Blectl(bus: simulated.address)
      let result = try await blectl.run("doctor", test.device, "--json", "--timeout", test.timeout)
      #expect(result.status == test.status)
      let records = try result.records
      let diagnosis = try #require(records.last)
      #expect(diagnosis["event"]?.text == "diagnosis" && diagnosis["healthy"]?.flag == false)
      #expect(diagnosis["cause"]?.text == test.cause, "\(result.text)")
      #expect(diagnosis["fix"]?.text?.contains(test.fix) == true, "\(result.text)")
      let evidence = diagnosis["evidence"]?.elements.compactMap(\.text) ?? []
      #expect(test.evidence.isEmpty || evidence.contains { $0.contains(test.evidence) }, "\(evidence)")
      #expect(result.errorText.hasPrefix("blectl: cannot use \(test.device): "), "\(result.errorText)")
      #expect(result.errorText.contains("\nhint: "), "\(result.errorText)")
      let stages = records.dropLast()
      #expect(stages.first?["stage"]?.text == "bluetoothd")
      #expect(stages.allSatisfy { $0["seconds"]?.real != nil && $0["message"]?.text != nil })
    }
  }

  @Test("At least twelve causes are played")
  func causes() { #expect(Set(Self.cases.map(\.cause)).count >= 12) }

  /// What a person should know about a device that can be used.
  struct Remark: Sendable, CustomTestStringConvertible {
    let cause: String
    var device = Address.strap
    var steps: [Case.Step] = []
    let fix: String
    let message: String

    var testDescription: String { cause }
  }

  static let remarks: [Remark] = [
    Remark(
      cause: "weak_signal", steps: [fault(.setRSSI(-97))], fix: "blectl scan --address \(strap)",
      message: "its signal is weak"),
    Remark(
      cause: "slow_services", steps: [fault(.delayServices(.seconds(6)))], fix: "a longer --timeout",
      message: "its services take long to discover: 6."),
    Remark(
      cause: "slow_link", device: lamp, steps: [fault(.slowLink(.milliseconds(400)), of: lamp)],
      fix: "blectl link \(lamp)", message: "its link is slow: 0.8"),
    Remark(
      cause: "needs_pairing", device: justWorks, steps: [fault(.appear, of: justWorks)],
      fix: "blectl pair \(justWorks)", message: "1 of 2 values that were tried requires pairing"),
    Remark(
      cause: "held_by_other",
      steps: [
        .command("connect \(strap)"),
        .fault(.otherClient(.hold(CharacteristicReference(device: strap, uuid: BluetoothUUID(0x2A37))))),
      ],
      fix: "stop the other program", message: "another program holds the notifications of 2a37"),
  ]

  @Test("What does not keep a device from being used is a remark", arguments: remarks)
  func remark(_ test: Remark) async throws {
    var world = World.contract
    world.peripherals.append(Self.lamp(with: Self.plain))
    try await withSimulator(world: world) { simulated in
      try await play(test.steps, on: simulated)
      let result = try await Blectl(bus: simulated.address).run(
        "doctor", test.device, "--json", "--timeout", "60s")
      #expect(result.status == 0, "\(result.text) \(result.errorText)")
      let diagnosis = try #require(try result.records.last)
      #expect(diagnosis["healthy"]?.flag == true && diagnosis["cause"] == nil)
      let findings = diagnosis["findings"]?.elements ?? []
      let finding = try #require(findings.first { $0["cause"]?.text == test.cause }, "\(result.text)")
      #expect(finding["status"]?.text == "warn")
      #expect(finding["message"]?.text?.hasPrefix(test.message) == true, "\(result.text)")
      #expect(finding["fix"]?.text?.contains(test.fix) == true, "\(result.text)")
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

  @Test("A device that ends its link after it was used is healthy, with a remark")
  func endsLink() async throws {
    var world = World.contract
    world.bluez = .v5_87
    // BlueZ takes its 2 s to close a link: meanwhile, the device does.
    try await withSimulator(world: world, timing: SimulatorTiming()) { simulated in
      try await play([Self.fault(.dropAfterTime(.seconds(3)))], on: simulated)
      let result = try await Blectl(bus: simulated.address).run("doctor", Self.strap, "--json")
      #expect(result.status == 0, "\(result.text)")
      let findings = try result.records.last?["findings"]?.elements ?? []
      #expect(findings.map { $0["cause"]?.text } == ["ends_link"], "\(result.text)")
    }
  }

  @Test("A link that another program opens while the device is listened for is used, and named")
  func openedMeanwhile() async throws {
    try await withSimulator { simulated in
      try await play(Self.visit + [Self.fault(.loseAdverts())], on: simulated)
      let other = try await BusClient.connect(to: simulated.address)
      let connecting = await other.beginDevice("Connect", Self.strap)
      let doctor = try Blectl(bus: simulated.address).start(["doctor", Self.strap, "--json"])
      #expect(await doctor.waitForOutput { $0.contains(#""stage":"known""#) })
      try await play([Self.fault(.loseAdverts(false))], on: simulated)
      let result = await doctor.result()
      #expect(result.status == 0, "\(result.text) \(result.errorText)")
      let findings = try result.records.last?["findings"]?.elements ?? []
      #expect(findings.map { $0["cause"]?.text } == ["opened_meanwhile"], "\(result.text)")
      _ = await connecting.value
      await other.close()
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

  private func expectOutage(_ cause: String, _ fix: String, _ result: ToolResult) throws {
    #expect(result.status == 3, "\(result.text) \(result.errorText)")
    let diagnosis = try #require(try result.records.last)
    #expect(diagnosis["cause"]?.text == cause, "\(result.text)")
    #expect(diagnosis["fix"]?.text?.hasPrefix(fix) == true, "\(result.text)")
    #expect(result.errorText.contains("\nhint: \(fix)"), "\(result.errorText)")
  }

  /// Plays what happens before the attempt.
  private func play(_ steps: [Case.Step], on simulated: SimulatedBus) async throws {
    let blectl = Blectl(bus: simulated.address)
    for step in steps {
      switch step {
      case .command(let words):
        let result = try await blectl.start(words.split(separator: " ").map(String.init)).result()
        #expect(result.status == 0, "\(words): \(result.errorText)")
      case .fault(let fault): try await simulated.simulator.perform(fault)
      }
    }
  }

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
}
