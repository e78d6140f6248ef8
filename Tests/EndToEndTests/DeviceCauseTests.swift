// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `doctor DEVICE`: each cause is found, and named with the evidence and with what helps.
@Suite("Causes that the doctor of devices finds")
struct DeviceCauseTests: DoctorPlay {
  /// What is wrong with a device, and what is said about it.
  struct Case: Sendable, CustomTestStringConvertible {
    let cause: String
    var device = Address.strap
    var steps: [DoctorStep] = []
    var events: [WorldEvent] = []
    var peripherals: [PeripheralSpec] = []
    var timeout = "20s"
    var bluez = BlueZRelease.v5_66
    var status: Int32 = 1
    let fix: String
    let evidence: String
    /// The end of the message.
    var message = ""

    var testDescription: String { "\(cause), BlueZ \(bluez.rawValue)" }
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
      cause: "cannot_scan", steps: [failing("StartDiscovery", .failed("not now"))],
      fix: "systemctl restart bluetooth", evidence: ""),
    Case(
      cause: "not_heard", device: "C0:00:00:00:00:0D", timeout: "4s", fix: "blectl scan",
      evidence: "BlueZ does not know it"),
    Case(
      cause: "not_heard", device: "Heart Strep", timeout: "4s", fix: "blectl scan",
      evidence: "BlueZ does not know it", message: "; did you mean Heart Strap?"),
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
      cause: "address_rotated", steps: visit + [fault(.changeAddress("5B:A2:11:B8:1C:FD"))], timeout: "4s",
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
      cause: "no_services", device: lamp,
      peripherals: [
        PeripheralSpec(address: lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60), services: [])
      ], fix: "blectl scan --address \(lamp)", evidence: "BlueZ does not know it"),
    Case(
      cause: "no_value", device: lamp,
      peripherals: [
        lamp(
          with: CharacteristicSpec(BluetoothUUID(0xFFF2), 0x02, faults: [.answer(AnswerFault(.error(0x12)))]))
      ],
      fix: "blectl read \(lamp)", evidence: "fff2: the device refuses"),
    Case(
      cause: "no_value", steps: [failing("ReadValue", BlueZError("org.bluez.Error.Failed", "no"))],
      fix: "systemctl restart bluetooth", evidence: "2a"),
    Case(
      cause: "no_value", device: lamp,
      peripherals: [
        lamp(
          with: CharacteristicSpec(BluetoothUUID(0xFFF2), 0x02, faults: [.answer(AnswerFault(.error(0x0E)))]))
      ],
      fix: "blectl read \(lamp)", evidence: "fff2: the device refuses"),
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
      #expect(diagnosis["message"]?.text?.hasSuffix(test.message) == true, "\(result.text)")
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
}
