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
    var timeout = "20s"
    var bluez = BlueZRelease.v5_66
    let fix: String
    let evidence: String

    var testDescription: String { "\(cause), BlueZ \(bluez.rawValue)" }
  }

  private static let strap = Address.strap
  private static let justWorks = "C7:B0:4D:00:00:01"
  private static let visit: [Case.Step] = [.command("connect \(strap)"), .command("disconnect \(strap)")]

  private static func fault(_ action: PeripheralAction, of device: String = strap) -> Case.Step {
    .fault(.peripheral(device, action))
  }

  private static func refusal(_ text: String) -> Case.Step {
    fault(.refuseConnect(BlueZError("org.bluez.Error.Failed", text)))
  }

  static let cases: [Case] = [
    Case(cause: "adapter_off", steps: [.fault(.adapter(.switchOff))], fix: "blectl adapter on", evidence: ""),
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
      cause: "needs_pairing", device: justWorks, steps: [fault(.appear, of: justWorks)],
      fix: "blectl pair \(justWorks)", evidence: "it is not paired"),
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
      cause: "no_answer",
      steps: [.fault(.characteristic(BluetoothUUID(0x2A38), of: strap, .answer(AnswerFault(.never))))],
      fix: "restart the device", evidence: "2a38: no answer"),
    Case(
      cause: "bluetoothd_fault", events: [WorldEvent(.connected(device: strap), .daemon(.kill))],
      fix: "blectl forget \(strap)", evidence: "BlueZ 5.66 may end at each connection"),
  ]

  @Test("A cause is found, with its evidence and what helps", arguments: cases)
  func cause(_ test: Case) async throws {
    var world = World.contract
    (world.events, world.bluez) = (test.events, test.bluez)
    try await withSimulator(world: world) { simulated in
      let blectl = Blectl(bus: simulated.address)
      for step in test.steps {
        switch step {
        case .command(let words):
          let result = try await blectl.start(words.split(separator: " ").map(String.init)).result()
          #expect(result.status == 0, "\(words): \(result.errorText)")
        case .fault(let fault): try await simulated.simulator.perform(fault)
        }
      }
      let result = try await blectl.run("doctor", test.device, "--json", "--timeout", test.timeout)
      #expect(result.status == 1)
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
