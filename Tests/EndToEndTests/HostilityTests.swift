// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

/// Data from the air and from the bus is hostile.
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
    "A property of a wrong type is skipped and logged with -vv; the rest is shown",
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

  @Test("Signals of a wrong shape, and of unknown objects, are skipped")
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

/// A bus like the system's, on which a policy that is too wide lets another user be `org.bluez`.
@Suite("An impostor")
struct ImpostorTests {
  /// Debian's rules for the system bus, and one more.
  private let configuration = """
    <busconfig>
      <type>system</type>
      <listen>unix:abstract=blectl-impostor-\(UInt64.random(in: 0...UInt64.max))</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/>
        <deny own="*"/>
        <deny send_type="method_call"/>
        <allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/>
        <allow receive_type="method_call"/>
        <allow receive_type="method_return"/>
        <allow receive_type="error"/>
        <allow receive_type="signal"/>
        <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
        <allow send_destination="org.bluez"/>
      </policy>
      <policy user="root"><allow own="org.bluez"/></policy>
      <policy user="nobody"><allow own="org.bluez"/></policy>
    </busconfig>
    """

  /// Becomes a user, enters the bus, takes the name and answers each call with no objects.
  private static let service = """
    import os, re, socket, struct, sys
    address, user = sys.argv[1].split(","), int(sys.argv[2])
    os.setgroups([]); os.setgid(user); os.setuid(user)
    bus = socket.socket(socket.AF_UNIX)
    bus.connect("\\0" + address[0].removeprefix("unix:abstract="))
    bus.sendall(b"\\0AUTH EXTERNAL " + str(user).encode().hex().encode() + b"\\r\\n")
    bus.recv(4096)
    bus.sendall(b"BEGIN\\r\\n")
    def text(value): return struct.pack("<I", len(value)) + value.encode() + b"\\0"
    def send(kind, fields, signature="", body=b""):
        array = b""
        for code, type, value in fields + ([(8, "g", signature)] if signature else []):
            array += b"\\0" * (-len(array) % 8) + bytes([code, 1]) + type.encode() + b"\\0"
            array += {"u": lambda: struct.pack("<I", value), "g": lambda: bytes([len(value)]) + value.encode() + b"\\0"
                      }.get(type, lambda: text(value))()
        head = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), 1, len(array)) + array
        bus.sendall(head + b"\\0" * (-len(head) % 8) + body)
    def driver(member, signature="", body=b""):
        send(1, [(1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (3, "s", member),
                 (6, "s", "org.freedesktop.DBus")], signature, body)
    driver("Hello")
    driver("RequestName", "su", text("org.bluez") + b"\\0" * (-len(text("org.bluez")) % 4) + struct.pack("<I", 4))
    data = b""
    while (part := bus.recv(65536)):
        data += part
        while len(data) >= 16:
            body, serial, fields = struct.unpack("<III", data[4:16])
            size = 16 + fields + -fields % 8 + body
            if len(data) < size: break
            message, data = data[:size], data[size:]
            if message[1] == 4 and b"NameAcquired" in message and b"org.bluez" in message: print("ready", flush=True)
            if message[1] == 1:
                sender = re.search(rb"\\x07\\x01s\\0....(:[0-9.]+)\\0", message, re.S)[1].decode()
                send(2, [(5, "u", serial), (6, "s", sender)], "a{oa{sa{sv}}}", struct.pack("<II", 0, 0))
    """

  /// Runs a body with the name in the hands of a user.
  private func withOwner(_ user: uid_t, _ body: (ToolResult) throws -> Void) async throws {
    let bus = try await TemporaryFile.with(Array(configuration.utf8), named: "bus.conf") { file in
      let options = ["--config-file=\(file.path)", "--nofork", "--nopidfile", "--print-address"]
      let bus = try ToolRun("/usr/bin/env", ["dbus-daemon"] + options)
      #expect(await bus.waitForLines(1))
      return bus
    }
    let address = String(decoding: await bus.outputSoFar(), as: UTF8.self).replacing("\n", with: "")
    let service = try ToolRun("/usr/bin/env", ["python3", "-c", Self.service, address, "\(user)"])
    #expect(await service.waitForLines(1))
    let result = try await Blectl(bus: address).run("doctor", "--json", "--timeout", "10s")
    try body(result)
    for run in [service, bus] {
      run.send(signal: SIGTERM)
      _ = await run.result()
    }
  }

  @Test("Doctor reports another user as org.bluez", .enabled(if: geteuid() == 0, "needs two users"))
  func noticed() async throws {
    try await withOwner(65534) { result in
      #expect(result.status == 3, "\(result.errorText)")
      let failure = try result.records.first { $0["status"]?.text == "fail" }
      #expect(failure?["check"]?.text == "owner")
      #expect(failure?["uid"]?.number == 65534)
      #expect(failure?["message"]?.text?.contains("belongs to uid 65534") == true)
      #expect(failure?["fix"]?.text?.hasPrefix("ps -fp ") == true)
      #expect(result.errorText.contains("belongs to uid 65534"))
    }
  }

  @Test("Doctor accepts root as org.bluez", .enabled(if: geteuid() == 0, "needs root"))
  func rootIsNot() async throws {
    try await withOwner(0) { result in
      let records = try result.records
      #expect(records.first { $0["check"]?.text == "service" }?["uid"]?.number == 0)
      #expect(!records.contains { $0["check"]?.text == "owner" })
    }
  }
}
