// SPDX-License-Identifier: MIT
internal import DBus
internal import Glibc
internal import JSON
internal import TestSupport
internal import Testing

/// Hostile data from a device, or from the owner of `org.bluez`, and its effect: SECURITY.md has the table.
@Suite("Hostile bus")
struct HostileBusTests {
  private static let device = FakeBlueZ.devicePath(1)

  private func objects(_ properties: [(String, DBusValue)]) -> [(String, FakeBlueZ.Interfaces)] {
    [FakeBlueZ.adapter, (Self.device, [("org.bluez.Device1", properties)])]
  }

  /// Nothing but newlines and tabs between what can be seen.
  private func expectHarmless(_ result: ToolResult, sourceLocation: SourceLocation = #_sourceLocation) {
    for text in [result.output, result.errors].map({ String(validating: $0, as: UTF8.self) }) {
      let harmful = text?.unicodeScalars.first {
        $0.isHarmfulToTerminals && !"\n\t\u{200d}\u{fe0f}".unicodeScalars.contains($0)
      }
      #expect(
        text != nil && harmful == nil, "\(text?.debugDescription ?? "")", sourceLocation: sourceLocation)
    }
  }

  // MARK: Texts

  static let hostileNames = [
    "\u{1b}[2J\u{1b}]0;root\u{7}", "\u{9b}31mred", "two\r\nlines\u{2028}and\u{85}more",
    "tab\tand\u{0b}\u{0c}\u{8}",
    "\u{202e}gpj.exe\u{202c}", "\u{2066}a\u{2069}\u{200f}\u{61c}", "\u{200b}\u{feff}\u{ad}\u{e0041}",
    "\u{7f}\u{fffe}",
    "Z" + String(repeating: "\u{301}", count: 100), String(repeating: "W", count: 248),
    String(repeating: "漢", count: 82), "\\u{1b}[31m", "\"},{\"event\":\"found\"", "=cmd|' /C calc'!A0", " ",
    "",
  ]

  @Test("A name is shown harmless on a terminal and in lines, and is itself in JSON", arguments: hostileNames)
  func names(name: String) async throws {
    let fake = try FakeBlueZ(
      objects(FakeBlueZ.device(1, name: name)),
      script: { $0.send(FakeBlueZ.changed(Self.device, [("RSSI", .int16(-50))]), from: FakeBlueZ.name) })
    let blectl = Blectl(bus: fake.address)
    let json = try await blectl.run("devices", "--json")
    expectHarmless(json)
    #expect(try json.records.map { $0["name"]?.text } == [name])
    for arguments in [
      ["devices"], ["info", FakeBlueZ.deviceAddress(1)], ["scan", "--count", "1", "--duration", "60s"],
    ] {
      let lines = try await blectl.start(arguments).result()
      #expect(lines.status == 0)
      expectHarmless(lines)
    }
    #expect(try await blectl.run("devices").lines.count == 1)
    let terminal = try await blectl.onTerminal(["devices", "--color", "never"])
    let shown = terminal.text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }
    #expect(!shown.contains { $0.isHarmfulToTerminals }, "\(terminal.text.debugDescription)")
  }

  @Test("Bytes that are not UTF-8, which no bus lets through, are mended")
  func invalidUTF8() async throws {
    let fake = try FakeBlueZ(
      objects(FakeBlueZ.device(1, name: "QQQQ")),
      edit: { delivery in
        for index in delivery.body.indices where delivery.body[index] == UInt8(ascii: "Q") {
          delivery.body[index] = [0xff, 0xc0, 0xed, 0xa0][index % 4]
        }
      })
    let result = try await Blectl(bus: fake.address).run("devices", "--json")
    #expect(result.status == 0)
    expectHarmless(result)
    #expect(try result.records.first?["name"]?.text?.contains("\u{fffd}") == true)
  }

  @Test("Invalid UUIDs are left out, the others shown")
  func uuids() async throws {
    let uuids = [
      "0000180d-0000-1000-8000-00805f9b34fb", "", "180d", "0000180d-0000-1000-8000-00805f9b34f",
      "0000180d-0000-1000-8000-00805f9b34fb0", "{0000180f-0000-1000-8000-00805f9b34fb}", "\u{1b}[31m",
      "0000180g-0000-1000-8000-00805f9b34fb", "-----", String(repeating: "f", count: 4096),
    ]
    let fake = try FakeBlueZ(objects(FakeBlueZ.device(1) + [("UUIDs", .strings(uuids))]))
    let result = try await Blectl(bus: fake.address).run("devices", "--json")
    #expect(result.status == 0)
    expectHarmless(result)
    let services = try result.records.first?["services"]?.elements.map { $0.text }
    #expect(services?.first == uuids[0])
    #expect(services?.allSatisfy { $0?.utf8.count == 36 } == true, "\(services ?? [])")
  }

  @Test("An error's words are written out, and the status is that of the error")
  func errors() async throws {
    let fake = try FakeBlueZ(
      objects(FakeBlueZ.device(1)),
      answer: { call in
        call.member == "Connect"
          ? Message(errorTo: call, name: "org.bluez.Error.Failed", text: "\u{1b}[31mle\n\u{202e}no") : nil
      })
    let result = try await Blectl(bus: fake.address).run("connect", FakeBlueZ.deviceAddress(1), "-v")
    #expect(result.status == 1)
    #expect(result.errorText.contains("\\u{1b}[31mle\\n\\u{202e}no"), "\(result.errorText)")
    expectHarmless(result)
  }

  // MARK: Shapes

  @Test(
    "Objects at odd paths, and without what they should have, are left out or shown with what they have",
    arguments: [
      ("/", FakeBlueZ.device(1), 1),
      ("/org/bluez/" + String(repeating: "x", count: 5000), FakeBlueZ.device(1), 1),
      (device, FakeBlueZ.device(1).filter { $0.0 != "Address" }, 0), (device, [], 0),
      (device, FakeBlueZ.device(1).filter { $0.0 != "Adapter" }, 0), ("not a path", FakeBlueZ.device(1), 1),
      (device, FakeBlueZ.device(1).filter { $0.0 != "AddressType" && $0.0 != "RSSI" }, 1),
      (device, FakeBlueZ.device(1) + [("Address", .string("F0:F1"))], 0),
    ])
  func odd(_ path: String, _ properties: [(String, DBusValue)], _ count: Int) async throws {
    let fake = try FakeBlueZ([FakeBlueZ.adapter, (path, [("org.bluez.Device1", properties)])])
    let result = try await Blectl(bus: fake.address).run("devices", "--json")
    #expect(result.status == 0)
    #expect(try result.records.count == count, "\(result.text)")
  }

  @Test("An adapter without properties is off, and a bus without objects has no adapter")
  func adapters() async throws {
    for (objects, words) in [
      ([("/", [("org.bluez.Adapter1", [])])], "is off"), ([], "there is no Bluetooth adapter"),
    ] as [([(String, FakeBlueZ.Interfaces)], String)] {
      let fake = try FakeBlueZ(objects)
      let result = try await Blectl(bus: fake.address).run("scan")
      #expect(result.status == 3)
      #expect(result.errorText.contains(words), "\(result.errorText)")
    }
  }

  @Test("Attributes without UUID, service or handle, and in circles, break no tree")
  func attributes() async throws {
    let (service, characteristic) = (Self.device + "/service0001", Self.device + "/x")
    let uuid = DBusValue.string("0000180d-0000-1000-8000-00805f9b34fb")
    let connected: [(String, DBusValue)] = [
      ("Connected", .boolean(true)), ("ServicesResolved", .boolean(true)),
    ]
    let fake = try FakeBlueZ(
      objects(FakeBlueZ.device(1) + connected) + [
        (service, [("org.bluez.GattService1", [("UUID", uuid), ("Device", .objectPath(Self.device))])]),
        ("/a", [("org.bluez.GattService1", [("Device", .objectPath(Self.device))])]),
        ("/b", [("org.bluez.GattService1", [("UUID", uuid), ("Device", .objectPath("/b"))])]),
        (
          characteristic,
          [("org.bluez.GattCharacteristic1", [("UUID", uuid), ("Service", .objectPath(service))])]
        ),
        ("/c", [("org.bluez.GattCharacteristic1", [("UUID", uuid), ("Service", .objectPath("/c"))])]),
        ("/d", [("org.bluez.GattDescriptor1", [("UUID", uuid), ("Characteristic", .objectPath("/d"))])]),
        ("/e", [("org.bluez.GattDescriptor1", [("Characteristic", .objectPath(characteristic))])]),
      ])
    let result = try await Blectl(bus: fake.address).run("services", FakeBlueZ.deviceAddress(1), "--json")
    #expect(result.status == 0, "\(result.errorText)")
    let services = try result.records.first?["services"]?.elements ?? []
    #expect(services.map { $0["handle"]?.number } == [1])
    #expect(services.first?["characteristics"]?.elements.map { $0["handle"]?.number } == [0])
  }

  @Test("A program that does not answer as BlueZ does is not taken for it")
  func otherAnswers() async throws {
    let fake = try FakeBlueZ(edit: { delivery in
      delivery.signature = "s"
      delivery.body = [2, 0, 0, 0, UInt8(ascii: "n"), UInt8(ascii: "o"), 0]
    })
    let result = try await Blectl(bus: fake.address).run("scan")
    #expect(result.status == 3)
    #expect(result.errorText.contains("is not BlueZ"), "\(result.errorText)")
  }

  @Test(
    "A body that is cut, or whose lengths lead out of it, ends nothing", arguments: [0, 3, 8, 20, 60, 150])
  func cut(length: Int) async throws {
    let fake = try FakeBlueZ(
      objects(FakeBlueZ.device(1, name: "Cut")), edit: { $0.body = Array($0.body.prefix(length)) })
    let result = try await Blectl(bus: fake.address).run("devices", "--json", "--timeout", "10s")
    #expect([0, 3].contains(result.status), "\(result.errorText)")
    expectHarmless(result)
  }

  @Test("Values of any length are shown whole", arguments: [0, 1, 512, 70_000])
  func values(length: Int) async throws {
    let (service, path) = (Self.device + "/service0010", Self.device + "/service0010/char0011")
    let uuid = DBusValue.string("0000ffe2-0000-1000-8000-00805f9b34fb")
    let fake = try FakeBlueZ(
      objects(FakeBlueZ.device(1)) + [
        (service, [("org.bluez.GattService1", [("UUID", uuid), ("Device", .objectPath(Self.device))])]),
        (path, [("org.bluez.GattCharacteristic1", [("UUID", uuid), ("Service", .objectPath(service))])]),
      ],
      script: { bus in
        let value = DBusValue.bytes(Array(repeating: 0x1b, count: length))
        bus.send(
          FakeBlueZ.changed(path, of: "org.bluez.GattCharacteristic1", [("Value", value)]),
          from: FakeBlueZ.name)
      })
    let options = ["monitor", "--scan", "--event", "value", "--count", "1"]
    let json = try await Blectl(bus: fake.address).start(options + ["--json"]).result()
    #expect(try json.records.map { $0["value"]?.text } == [String(repeating: "1b", count: length)])
    let line = try await Blectl(bus: fake.address).start(options).result()
    #expect(line.lines.count == 1)
    expectHarmless(line)
  }
}
