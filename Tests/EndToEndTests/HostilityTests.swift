// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

/// What comes over the air and over the bus is hostile.
@Suite("Hostile input")
struct HostilityTests {
  private static let piano = "D0:B5:C2:0A:0B:0C"
  private static let name = "Evil\u{1b}[31m\n\u{202e}X\tY"

  @Test("A hostile name harms neither lines nor JSON nor a terminal")
  func hostileName() async throws {
    try await withSimulator(world: .contract) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let options = ["scan", "--address", "C3:EE:11:00:00:01", "--count", "1", "--duration", "60s"]
      let line = try await blectl.start(options).result()
      #expect(line.lines.count == 1)
      #expect(line.text.contains("Evil\\u{1b}[31m\\n\\u{202e}X\\tY"))
      let json = try await blectl.start(options + ["--json"]).result()
      #expect(try json.records.first?["name"]?.text == Self.name)
      #expect(!json.text.contains("\u{1b}") && !json.text.contains("\u{202e}"))
      let terminal = try await blectl.onTerminal(options)
      #expect(terminal.text.contains("Evil\\u{1b}[31m\\n\\u{202e}X\\tY"))
      #expect(!terminal.text.contains("\u{1b}[31m") && !terminal.text.contains("\u{202e}"))
    }
  }

  @Test("A hostile name in an error is written out")
  func hostileError() async throws {
    let result = try await Blectl().run("read", Self.name, "2a19", "--simulate", "--timeout", "100ms")
    #expect(result.status == 4)
    #expect(result.errorText.split(separator: "\n").count == 2)
    #expect(!result.errorText.contains("\u{1b}") && !result.errorText.contains("\u{202e}"))
  }

  @Test(
    "A property of a wrong type is skipped and told with -vv; the rest is shown",
    arguments: [
      ("Address", "org.bluez.Device1", DBusValue.uint32(7)), ("Name", "org.bluez.Device1", .bytes([1, 2])),
      ("RSSI", "org.bluez.Device1", .string("loud")), ("UUIDs", "org.bluez.Device1", .string("all")),
      ("UUIDs", "org.bluez.Device1", .strings(["not a uuid", ""])),
      ("ManufacturerData", "org.bluez.Device1", .properties([("x", .uint32(1))])),
      ("Connected", "org.bluez.Device1", .string("perhaps")),
      ("ServiceData", "org.bluez.Device1", .array(of: "(ii)", [])),
      ("Powered", "org.bluez.Adapter1", .uint32(1)), ("Address", "org.bluez.Adapter1", .double(.nan)),
    ])
  func wrongTypes(_ property: String, _ interface: String, _ value: DBusValue) async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", "Piano").status == 0)
      let path = interface.hasSuffix("Device1") ? "/org/bluez/hci0/dev_D0_B5_C2_0A_0B_0C" : "/org/bluez/hci0"
      await simulated.simulator.overrideProperty(property, of: interface, at: path, with: value)
      let quiet = try await blectl.run("devices", "--json")
      #expect([0, 3].contains(quiet.status), "\(quiet.errorText)")
      let piano = try quiet.records.first { $0["name"]?.text == "Piano" || $0["address"]?.text == Self.piano }
      #expect((piano == nil) == (property == "Address" && interface.hasSuffix("Device1")))
      let verbose = try await blectl.run("devices", "-vv")
      if value.typeSignature != "as" {
        #expect(verbose.errorText.contains("skipped \(interface).\(property)"), "\(verbose.errorText)")
      }
    }
  }

  @Test("Signals of a wrong shape, and of objects that nobody knows, are skipped")
  func wrongSignals() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let scanning = try blectl.start(["scan", "--duration", "0", "--duplicates"])
      #expect(await scanning.waitForLines(1))
      let device = "/org/bluez/hci0/dev_D0_B5_C2_0A_0B_0C"
      let properties = "org.freedesktop.DBus.Properties"
      await simulated.simulator.emit(
        Message(signal: "PropertiesChanged", of: properties, at: device) { $0.string("x") })
      await simulated.simulator.emit(
        Message(signal: "PropertiesChanged", of: properties, at: "/org/bluez/hci0/dev_none") { writer in
          writer.string("org.bluez.Device1")
          writer.properties([("RSSI", .string("x"))])
          writer.array(of: "s") { _ in }
        })
      await simulated.simulator.emit(
        Message(signal: "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", at: "/") { $0.uint32(7) }
      )
      let before = await scanning.outputSoFar().count
      let goesOn = await scanning.waitForOutput { $0.utf8.count > before }
      #expect(goesOn)
      scanning.send(signal: SIGINT)
      #expect(await scanning.result().signal == SIGINT)
    }
  }
}
