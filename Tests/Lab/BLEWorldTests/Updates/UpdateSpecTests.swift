// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld

@Suite("Peripherals with firmware that can be updated")
struct UpdateSpecTests {
  private func world(_ peripherals: String) throws -> World {
    try World(json: Array("{\"peripherals\": [\(peripherals)]}".utf8), name: "w") {
      _ throws(WorldFileError) in []
    }
  }

  @Test("An SMP server is true, false or an object")
  func smp() throws {
    let world = try world(
      """
      {"address": "C0:00:00:00:00:01", "smp": true}, {"address": "C0:00:00:00:00:02", "smp": false},
      {"address": "C0:00:00:00:00:03", "smp": {"version": "1.2.3+4", "mode": "overwrite", "faults": {"hang_up_at": [5]}}}
      """)
    #expect(world.peripherals[0].smp == SMPSpec() && world.peripherals[1].smp == nil)
    let expected = SMPSpec { spec in
      (spec.version, spec.mode) = ("1.2.3.4", .overwrite)
      spec.faults.transfer.hangsUpAt = [5]
    }
    #expect(world.peripherals[2].smp == expected)
    #expect(String(decoding: world.jsonLine, as: UTF8.self).contains(#""smp":true}"#))
    let services = AttributeLayout(world.peripherals[0]).services.map(\.uuid)
    #expect(services == [AttributeLayout.genericAccess, .deviceInformation, FirmwareUUID.smpService])
  }

  @Test("The security of a server applies to its value and to subscriptions")
  func security() throws {
    let peripherals = try world(
      """
      {"address": "C0:00:00:00:00:01", "smp": {"security": "authenticated"}},
      {"address": "C0:00:00:00:00:02", "dfu": {"kind": "secure", "buttonless": "bonded"}}
      """
    ).peripherals
    let values = peripherals.compactMap { AttributeLayout($0).services.last?.characteristics.first }
    #expect(values.map(\.spec.security) == [.authenticated, .encrypted])
    #expect(values.map { $0.descriptors.map(\.spec.security) } == [[.authenticated], [.encrypted]])
  }

  @Test("A boot loader has the next address, unless it is bonded or the world says so")
  func addresses() throws {
    let world = try world(
      """
      {"address": "C0:00:00:00:00:FF", "dfu": {"kind": "secure"}},
      {"address": "C0:00:00:00:00:02", "dfu": {"kind": "secure", "buttonless": "bonded"}},
      {"address": "C0:00:00:00:00:03", "dfu": {"kind": "legacy", "address": "same"}},
      {"address": "C0:00:00:00:00:04", "dfu": {"kind": "legacy", "jump": false}}
      """)
    #expect(world.peripherals.map(\.bootloaderAddress) == ["C0:00:00:00:00:00", nil, nil, nil])
    let bootloaders = world.peripherals.map { $0.inBootloader()?.allServices.map(\.uuid) }
    #expect(
      bootloaders == [
        [FirmwareUUID.secureDFUService], [FirmwareUUID.secureDFUService], [FirmwareUUID.legacyService], nil,
      ])
  }

  @Test("The Device Information of a world tells the version, and new firmware may move its services")
  func version() throws {
    let peripheral = try #require(
      try world(
        """
        {"address": "C0:00:00:00:00:01", "smp": {"version": "1.2.3"}, "services": [
          {"uuid": "180a", "characteristics": [{"uuid": "2a26", "properties": ["read"], "value": "utf8:old"}]},
          {"uuid": "ffe0", "handle": 40, "characteristics": []}]}
        """
      ).peripherals.first)
    let before = peripheral.running(version: "1.2.3")
    #expect(before.services[0].characteristics[0].value == Array("1.2.3".utf8))
    let after = peripheral.running(version: "2.0.0", movedBy: 7)
    let (first, second) = (AttributeLayout(before).services, AttributeLayout(after).services)
    #expect(first.map(\.uuid) == second.map(\.uuid))
    #expect(zip(first, second).dropFirst().allSatisfy { $0.handle + 7 == $1.handle })
  }

  @Test(
    "A peripheral with two ways to be updated, a service twice or a boot loader at a taken address is refused",
    arguments: [
      #"{"address": "C0:00:00:00:00:01", "smp": true, "dfu": {"kind": "secure"}}"#,
      #"{"address": "C0:00:00:00:00:01", "dfu": {"kind": "secure"}, "services": [{"uuid": "fe59"}]}"#,
      #"{"address": "C0:00:00:00:00:01", "dfu": {"kind": "secure"}}, {"address": "C0:00:00:00:00:02"}"#,
      #"{"address": "C0:00:00:00:00:01", "dfu": {"kind": "legacy", "jump": false, "starts_in_bootloader": true}}"#,
      #"{"address": "C0:00:00:00:00:01", "smp": {"version": "latest"}}"#,
      #"{"address": "C0:00:00:00:00:01", "dfu": {}}"#,
    ])
  func refused(_ peripherals: String) {
    #expect(throws: WorldFileError.self) { try world(peripherals) }
  }

  @Test("The built-in world has a device for each protocol, and survives writing and reading")
  func builtIn() throws {
    let world = try #require(World.named("update"))
    #expect(
      world.peripherals.map { $0.smp == nil ? $0.dfu?.kind.rawValue : "smp" } == ["smp", "secure", "legacy"])
    let copy = try World(json: world.json, name: "w") { _ throws(WorldFileError) in [] }
    #expect(copy == world)
    #expect(World.named("other") == nil)
  }

  @Test("Sample images are the same each time, and differ by version and seed")
  func samples() throws {
    let version = MCUbootImage.Version(major: 1, minor: 2, revision: 3, build: 4)
    let image = SampleFirmware.image(version)
    #expect(image == SampleFirmware.image("1.2.3+4"))
    #expect(image != SampleFirmware.image(version, seed: 2))
    let parsed = try MCUbootImage(parsing: image)
    #expect(parsed.version == version && parsed.problems.isEmpty)
    #expect(LegacyChecksum.of(Array("123456789".utf8)) == 0x29b1)
  }
}
