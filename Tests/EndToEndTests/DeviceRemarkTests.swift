// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `doctor DEVICE`: what does not keep a device from being used is said, and changes no exit status.
@Suite("Remarks of the doctor of devices")
struct DeviceRemarkTests: DoctorPlay {
  /// What a person should know about a device that can be used.
  struct Remark: Sendable, CustomTestStringConvertible {
    let cause: String
    var device = Address.strap
    var steps: [DoctorStep] = []
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
      message: "its services take long to discover: "),
    Remark(
      cause: "slow_link", device: lamp, steps: [fault(.slowLink(.milliseconds(400)), of: lamp)],
      fix: "blectl link \(lamp)", message: "its link is slow: "),
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

  @Test(
    "A value that can be read is found behind three that require pairing, and all that are not read are named",
    arguments: [
      (
        BlueZRelease.v5_66, "4 of 5 values that were tried require pairing",
        ["fff2:", "fff3:", "fff4:", "fff5:"]
      ),
      // It shows the device's name, which was read before: then no value is worth another link.
      (
        .v5_87, "1 of 3 values that were tried requires pairing",
        ["fff2:", "not tried without pairing: fff3, fff4, fff1, fff5"]
      ),
    ])
  func behindProtected(_ bluez: BlueZRelease, _ message: String, _ named: [String]) async throws {
    var world = World.contract
    world.bluez = bluez
    let locked = [0xFFF2, 0xFFF3, 0xFFF4, 0xFFF5].map {
      CharacteristicSpec(BluetoothUUID(short: $0), 0x02, value: [1], security: .encrypted)
    }
    world.peripherals.append(
      PeripheralSpec(
        address: Self.lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60),
        services: [ServiceSpec(BluetoothUUID(0xFFF0), locked[..<3] + [Self.plain] + locked[3...])]))
    try await withSimulator(world: world) { simulated in
      let result = try await Blectl(bus: simulated.address).run("doctor", Self.lamp, "--json")
      #expect(result.status == 0, "\(result.text)")
      let findings = try result.records.last?["findings"]?.elements ?? []
      #expect(findings.count == 1, "\(result.text)")
      #expect(findings.first?["message"]?.text == message)
      let evidence = findings.first?["evidence"]?.elements.compactMap(\.text) ?? []
      #expect(zip(evidence, named).allSatisfy { $0.hasPrefix($1) } && evidence.count > named.count)
    }
  }

  @Test("Another link, in the place of one on which a value required pairing, does not count as slow")
  func linkAfterRefusal() async throws {
    var world = World.contract
    world.peripherals.append(Self.lockedLamp)
    // BlueZ takes its 2 s to close a link.
    try await withSimulator(world: world, timing: SimulatorTiming()) { simulated in
      let result = try await Blectl(bus: simulated.address).run("doctor", Self.lamp, "--json")
      #expect(result.status == 0, "\(result.text)")
      let records = try result.records
      let findings = records.last?["findings"]?.elements ?? []
      #expect(findings.map { $0["cause"]?.text } == ["needs_pairing"], "\(result.text)")
      let reads = records.filter { $0["stage"]?.text == "read" }
      #expect(reads.map { $0["status"]?.text } == ["warn", "ok"], "\(result.text)")
      #expect((reads.last?["duration_seconds"]?.real ?? 9) < 1, "\(result.text)")
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
}
