// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Output in a pipe")
struct OutputTests {
  /// The records that do not depend on time or on the drift of signals.
  private static let cases: [(name: String, arguments: [String])] = [
    ("services", ["services", "MI Band 2"]),
    ("services-json", ["services", "Heart Strap", "--read", "--json"]),
    ("info", ["info", "Thermometer"]), ("info-json", ["info", "Thermometer", "--json"]),
    ("adapter", ["adapter"]), ("adapter-json", ["adapter", "show", "--json"]),
    ("read", ["read", "MI Band 2", "2a28", "2a23"]), ("read-json", ["read", "MI Band 2", "2a28", "--json"]),
    ("read-format", ["read", "MI Band 2", "2a2b", "--as", "base64"]),
    ("subscribe-json", ["subscribe", "Thermometer", "2a1c", "--count", "2", "--json"]),
    ("write-reply-json", ["write", "Piano", "ffe3", "f03d3d0002f7", "--reply", "ffe2", "--json"]),
    ("write-json", ["write", "Piano", "ffe3", "f03d3d0002f7", "--json"]),
    ("adapter-on-json", ["adapter", "on", "--json"]), ("adapter-off-json", ["adapter", "off", "--json"]),
    ("snapshot", ["snapshot", "Heart Strap"]), ("snapshot-json", ["snapshot", "Piano", "--json"]),
    ("connect-json", ["connect", "Piano", "--json"]),
  ]

  @Test("Records equal the approved ones", arguments: cases.map(\.name))
  func records(_ name: String) async throws {
    let arguments = try #require(Self.cases.first { $0.name == name }?.arguments)
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).start(arguments).result()
      #expect(result.status == 0, "\(result.errorText)")
      try Snapshot.expect(Snapshot.settled(result.text), "output", name)
      if arguments.contains("--json") { #expect(try result.records.count == result.lines.count) }
    }
  }

  @Test("A scan's records equal the approved ones", arguments: [false, true])
  func scan(_ isJSON: Bool) async throws {
    try await withSimulator { simulated in
      let options = ["scan", "--count", "9", "--duration", "60s"] + (isJSON ? ["--json"] : [])
      let result = try await Blectl(bus: simulated.address).start(options).result()
      #expect(result.status == 0)
      let sorted = result.lines.sorted { $0.drop { $0 != ":" } < $1.drop { $0 != ":" } }.joined(
        separator: "\n")
      try Snapshot.expect(Snapshot.settled(sorted) + "\n", "output", isJSON ? "scan-json" : "scan")
    }
  }

  @Test("Devices lists what BlueZ knows, connected or not")
  func devices() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("devices").text.isEmpty)
      #expect(try await blectl.run("connect", "Piano").status == 0)
      let connected = try await blectl.run("devices", "--connected", "--json")
      #expect(try connected.records.map { $0["name"]?.text } == ["Piano"])
      #expect(try await blectl.run("devices", "--paired").text.isEmpty)
    }
  }

  @Test("Options are found in the environment: the adapter")
  func adapterVariable() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let missing = try await blectl.run("scan", environment: ["BLECTL_ADAPTER": "hci7"])
      #expect(missing.status == 3)
      #expect(missing.errorText.contains("hci7"))
      let given = try await blectl.run(
        "scan", "-i", "hci0", "--count", "1", "--duration", "60s", environment: ["BLECTL_ADAPTER": "hci7"])
      #expect(given.status == 0)
    }
  }

  @Test(
    "A scan whose time is over before its count says so, and ends with status 0", arguments: [false, true])
  func short(terminal: Bool) async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let scan = ["scan", "--name", "Heart*", "--count", "2", "--duration", "5s"]
      let result = terminal ? try await blectl.onTerminal(scan) : try await blectl.start(scan).result()
      #expect(result.status == 0)
      #expect(result.text.contains("Heart Strap"))
      let told = terminal ? result.text : result.errorText
      #expect(told.contains("1 of 2 devices within --duration 5s"), "\(told)")
    }
  }

  @Test("A scan that is interrupted says nothing of its count", arguments: ["0", "60s"])
  func interrupted(duration: String) async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start([
        "scan", "--count", "99", "--duration", duration,
      ])
      #expect(await running.waitForLines(1))
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(result.errorText == "")
    }
  }

  @Test("--simulate brings a world of its own")
  func simulate() async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").run(
      "read", "MI Band 2", "2a28", "--as", "utf8", "--simulate")
    #expect(result.text == "V1.0.1.81\n")
  }

  @Test("Simulate runs a command on a simulated BlueZ, and hands on its status")
  func simulateCommand() async throws {
    let script = "\(Blectl.path) read 'MI Band 2' 2a28 --as utf8; exit 7"
    let result = try await Blectl().run("simulate", "--", "/bin/sh", "-c", script)
    #expect(result.text == "V1.0.1.81\n")
    #expect(result.status == 7)
    let killed = try await Blectl().run("simulate", "--", "/bin/sh", "-c", "kill -9 $$")
    #expect(killed.status == 137)
    let missing = try await Blectl().run("simulate", "--", "/nonexistent/program")
    #expect(missing.status == 1)
    #expect(missing.errorText.hasPrefix("blectl: cannot run /nonexistent/program"))
  }

  @Test("Simulate imitates the version of BlueZ that is asked for, or that the world names, and no other")
  func simulatedVersion() async throws {
    let show = ["--", Blectl.path, "adapter", "show", "--json"]
    let newer = try await Blectl().start(["simulate", "--bluez", "5.82"] + show).result()
    let name = try newer.records.first?["name"]?.text
    #expect(name == "BlueZ 5.82")
    try await TemporaryFile.with(Array(#"{"bluez": "5.82", "peripherals": []}"#.utf8)) { file in
      let named = try await Blectl().start(["simulate", file.path] + show).result()
      let name = try named.records.first?["name"]?.text
      #expect(name == "BlueZ 5.82")
      let chosen = try await Blectl().start(["simulate", file.path, "--bluez", "5.66"] + show).result()
      let other = try chosen.records.first?["name"]?.text
      #expect(other == "BlueZ 5.66")
    }
    let unknown = try await Blectl().run("simulate", "--bluez", "5.70")
    #expect(unknown.status == 64)
    #expect(unknown.errorText.contains("5.70") && unknown.errorText.contains("5.82"), "\(unknown.errorText)")
    try await TemporaryFile.with(Array(#"{"bluez": "6", "peripherals": []}"#.utf8)) { file in
      let unknown = try await Blectl().run("simulate", file.path)
      #expect(unknown.status == 64)
      #expect(
        unknown.errorText.contains("/bluez: expected one of \"5.66\", \"5.82\", \"5.87\""),
        "\(unknown.errorText)")
    }
  }

  @Test("Simulate alone prints the address, serves until Ctrl-C, and takes its bus down")
  func simulateAlone() async throws {
    let running = try Blectl().start(["simulate"])
    #expect(await running.waitForLines(1))
    let address = String(decoding: await running.outputSoFar(), as: UTF8.self)
      .replacing("DBUS_SYSTEM_BUS_ADDRESS=", with: "").replacing("\n", with: "")
    #expect(try await Blectl(bus: address).run("adapter").status == 0)
    running.send(signal: SIGINT)
    #expect(await running.result().signal == SIGINT)
    #expect(try await Blectl(bus: address).run("adapter").status == 3)
  }
}

/// The messages that a command sends over the bus, beside Hello: each additional message costs a round trip.
@Suite("Messages on the bus")
struct MessageCountTests {
  private func sent(_ result: ToolResult) -> [String] {
    result.errorText.split(separator: "\n").compactMap { line in
      guard let arrow = line.firstRange(of: "→ ") else { return nil }
      let words = line[arrow.upperBound...].split(separator: " ")
      guard words.count > 3, words[0] == "call" else { return String(line) }
      return String(words[3].prefix { $0 != "(" }.split(separator: ".").last ?? "")
    }
  }

  /// StartNotify reveals whether BlueZ is closing the link; the first read, of a descriptor, whether it still stands.
  ///
  /// The agent hears whether BlueZ wants to pair; the second one, at the end, leaves the kernel with the capability it had.
  @Test("A read of a device that is connected sends three rules and four calls, and those of its agent")
  func read() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", "Heart Strap").status == 0)
      let result = try await blectl.run("read", "Heart Strap", "2a19", "-vv")
      #expect(result.status == 0)
      #expect(
        sent(result) == [
          "AddMatch", "AddMatch", "AddMatch", "GetManagedObjects", "RegisterAgent", "StartNotify",
          "ReadValue",
          "ReadValue", "UnregisterAgent", "RegisterAgent", "UnregisterAgent",
        ],
        "\(result.errorText)")
    }
  }

  @Test("A list of devices asks once")
  func devices() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run("devices", "-vv")
      #expect(sent(result) == ["AddMatch", "AddMatch", "AddMatch", "GetManagedObjects"])
    }
  }
}
