// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `serve` on the first adapter of a simulated computer; the central uses the second one.
@Suite("Serve")
struct ServeTests {
  @Test("A built-in device answers a command on the other adapter, and each request is a record")
  func records() async throws {
    try await ToolFolder.with { folder in
      let result = try await folder.run(
        """
        blectl serve 'Heart Strap' --simulate --json -- sh -c "blectl read 'Heart Strap' 2a38 && \
        blectl write 'Heart Strap' 2a39 01 -q && blectl subscribe 'Heart Strap' 2a37 --count 2 --json"
        """)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines.first == "01")
      let notified = try JSONRecord.parse(Array(result.lines.dropFirst())).compactMap { $0["value"]?.text }
      #expect(notified == ["003c", "003d"])
      let records = try JSONRecord.parse(result.errorText.split(separator: "\n").map(String.init))
      let first = try #require(records.first)
      #expect(first["event"]?.text == "advertising" && first["name"]?.text == "Heart Strap")
      #expect(first["adapter"]?.text == "hci0")
      let central = "00:1A:7D:DA:71:14"
      func events(_ short: String) -> [JSONRecord] {
        records.filter {
          $0["characteristic"]?.text == "0000\(short)-0000-1000-8000-00805f9b34fb"
            && $0["event"]?.text != "value"
        }
      }
      let read = try #require(events("2a38").first)
      #expect(read["event"]?.text == "read" && read["address"]?.text == central)
      #expect(read["value"]?.text == "01" && read["decoded"]?["body_sensor_location"]?.text == "chest")
      #expect(read["service"]?.text == "0000180d-0000-1000-8000-00805f9b34fb")
      let written = try #require(events("2a39").first)
      #expect(written["event"]?.text == "written" && written["value"]?.text == "01")
      #expect(written["adapter"]?.text == "hci0" && written["handle"]?.number != nil)
      let subscriptions = events("2a37").compactMap { $0["event"]?.text }
      #expect(subscriptions.prefix(2) == ["subscribed", "unsubscribed"])
    }
  }

  @Test("The status of the command is that of serve")
  func childStatus() async throws {
    let result = try await Blectl().run("serve", "Piano", "--simulate", "-q", "--", "sh", "-c", "exit 7")
    #expect(result.status == 7)
  }

  @Test("A line of text has the time, the event, the central and its name, the attribute and the value")
  func lines() async throws {
    try await ServedLamp.serve { _, simulated, running in
      let first = try await ServedLamp.central(simulated, "read", "Lamp", "ffe1")
      #expect(first.lines == ["01"])
      let counted = try await ServedLamp.central(simulated, "read", "Lamp", "ffe2")
      #expect(counted.lines == ["07"])
      #expect(await running.waitForOutput { $0.contains("read\t00:1A:7D:DA:71:14\t\tffe0/ffe2\t07\n") })
      let next = try await ServedLamp.central(simulated, "read", "Lamp", "ffe2")
      #expect(next.lines == ["08"])
    }
  }

  @Test("A central that is connected at the start is reported as connected, and its end once")
  func connectedBefore() async throws {
    try await ServedLamp.serve { folder, simulated, running in
      let subscriber = try Blectl(bus: simulated.address).start(
        ["subscribe", "Lamp", "ffe1"], environment: ["BLECTL_ADAPTER": "hci1"])
      #expect(await running.waitForOutput { $0.contains("subscribed") })
      let second = try Blectl(bus: simulated.address).start(
        ["serve", folder.path + "/lamp.json", "-i", "hci0", "--json"], input: [])
      #expect(await second.waitForOutput { $0.contains("advertising") && $0.contains("connected") })
      subscriber.send(signal: SIGINT)
      #expect(await second.waitForOutput { $0.contains("disconnected") })
      second.send(signal: SIGINT)
      let records = try JSONRecord.parse(await second.result().lines)
      let links = records.filter { $0["address"]?.text == "00:1A:7D:DA:71:14" }
      #expect(links.compactMap { $0["event"]?.text } == ["connected", "disconnected"])
      _ = await subscriber.result()
    }
  }

  @Test("Lines of standard input set values, which subscribers receive; a wrong line changes nothing")
  func input() async throws {
    try await ServedLamp.serve(input: nil) { _, simulated, running in
      let subscriber = try Blectl(bus: simulated.address).start(
        ["subscribe", "Lamp", "ffe1", "--count", "2"], environment: ["BLECTL_ADAPTER": "hci1"])
      #expect(await running.waitForOutput { $0.contains("subscribed") })
      let long = "ffe1 " + String(repeating: "00", count: 5000)
      running.send(
        input: Array(
          "# a comment\n\n\(long)\nffe1 u8:40\nffe9 01\nffe1\nffe1 u8:300\n  ffe0/ffe1   utf8:a b \n".utf8))
      let values = await subscriber.result().lines.map { $0.split(separator: "\t").last.map(String.init) }
      #expect(values == ["28", "612062"])
      #expect(
        await running.waitForErrors { text in
          [
            "'ffe9' is no characteristic of Lamp", "has no value; use CHAR VALUE", "'300' does not fit u8",
            "a line has 4096 bytes or more",
          ].allSatisfy { text.contains("blectl: cannot set a value: ") && text.contains($0) }
        })
      #expect(try await ServedLamp.central(simulated, "read", "Lamp", "ffe1").lines == ["612062"])
    }
  }

  @Test("A bonded central that comes back receives values again", .timeLimit(.minutes(1)))
  func bonded() async throws {
    try await ServedLamp.serve(input: nil) { _, simulated, running in
      let (simulator, central, uuid) = (
        simulated.simulator, "F2:CE:17:00:00:01", BluetoothUUID(short: 0xffe1)
      )
      try await simulator.perform(.otherClient(.registerAgent))
      let adapter = try #require(await simulator.state.adapters.first).address
      #expect(await simulator.connectCentral(central, to: adapter))
      #expect(await simulator.perform(.pair, byCentral: central) == .done())
      #expect(await simulator.perform(.configure(uuid, 1), byCentral: central) == .done())
      #expect(await running.waitForOutput { $0.contains("\tsubscribed\t") })
      await simulator.disconnectCentral(central)
      #expect(await running.waitForOutput { $0.contains("disconnected") })
      #expect(await simulator.connectCentral(central, to: adapter))
      #expect(
        await running.waitForOutput {
          $0.split(separator: "\n").filter { $0.contains("\tconnected\t") }.count == 2
        })
      #expect(await simulator.perform(.listen(uuid), byCentral: central) == .done())
      running.send(input: Array("ffe1 u8:41\n".utf8))
      #expect(await simulator.received(byCentral: central, uuid, atLeast: 1) == [[41]])
    }
  }

  @Test("A phone that pairs, and gets another address by that, is reported as disconnected")
  func privateAddress() async throws {
    try await ServedLamp.serve { _, simulated, running in
      let (simulator, central) = (simulated.simulator, "F2:CE:17:00:00:01")
      try await simulator.perform(.otherClient(.registerAgent))
      let adapter = try #require(await simulator.state.adapters.first).address
      #expect(await simulator.connectCentral(central, to: adapter, as: "72:CE:17:AC:9B:96"))
      #expect(await running.waitForOutput { $0.contains("\tconnected\t72:CE:17:AC:9B:96") })
      #expect(await simulator.perform(.pair, byCentral: central) == .done())
      await simulator.disconnectCentral(central)
      #expect(await running.waitForOutput { $0.contains("\tdisconnected\tF2:CE:17:00:00:01") })
    }
  }

  @Test("--exec runs for each written value, with the record and the variables, and prints nothing else")
  func hook() async throws {
    let command =
      #"echo "$BLECTL_EVENT $BLECTL_VALUE $BLECTL_CHARACTERISTIC $BLECTL_ADDRESS $BLECTL_ADAPTER"; cat"#
    var world = World(peripherals: [])
    world.setAdapterCount(2)
    try await withSimulator(world: world) { simulated in
      try await ToolFolder.with { folder in
        try folder.write(ServedLamp.world, to: "lamp.json")
        let running = try Blectl(bus: simulated.address).start(
          ["serve", folder.path + "/lamp.json", "-i", "hci0", "--exec", command])
        for value in ["05", "0607"] {
          #expect(try await ServedLamp.central(simulated, "write", "Lamp", "ffe1", value, "-q").status == 0)
        }
        #expect(await running.waitForLines(4))
        running.send(signal: SIGINT)
        let lines = await running.result().lines
        let uuid = "0000ffe1-0000-1000-8000-00805f9b34fb"
        try #require(lines.count == 4)
        #expect(lines[0] == "written 05 \(uuid) 00:1A:7D:DA:71:14 hci0")
        #expect(lines[2] == "written 0607 \(uuid) 00:1A:7D:DA:71:14 hci0")
        #expect(try JSONRecord.parse([lines[3]])[0]["value"]?.text == "0607")
      }
    }
  }

  @Test("--control sets values, makes answers fail, reports the state, and refuses what a radio cannot do")
  func control() async throws {
    try await ToolFolder.with { folder in
      try folder.write(ServedLamp.world, to: "lamp.json")
      try folder.write(
        """
        import json, socket, subprocess
        control = socket.socket(socket.AF_UNIX)
        control.connect("control")
        answers = control.makefile("r")
        def say(command, **keys):
            message = {"do": command, "device": "C0:00:00:00:00:01", **keys} if command != "state" else {"do": command}
            control.sendall(json.dumps(message).encode() + b"\\n")
            return json.loads(answers.readline())
        def read():
            done = subprocess.run(["blectl", "read", "Lamp", "ffe1"], capture_output=True, text=True)
            return done.stdout.strip() or done.stderr.split("(")[-1].split(")")[0]
        print(say("set-value", characteristic="ffe1", value="u8:33")["ok"], read())
        print(say("att-error", characteristic="ffe1", code="0x82", times=1)["ok"], read(), read())
        print(say("no-answer", characteristic="ffe1", operation="read", times=1)["ok"], read())
        print(say("drop-link")["error"])
        print(say("set-value", characteristic="ffe7", value="01")["error"])
        state = say("state")
        print(state["daemon"], state["adapters"][0]["name"], state["peripherals"][0]["name"])
        print(say("lose-adverts")["ok"])
        subprocess.run(["blectl", "unpair", "Lamp", "-q"])
        print(subprocess.run(["blectl", "scan", "--duration", "1s"], capture_output=True, text=True).stdout.strip())
        print(say("heal")["ok"], read())
        """, to: "play.py")
      let result = try await folder.run(
        "blectl serve lamp.json --simulate --exec true --control control -q -- python3 play.py")
      #expect(result.status == 0, "\(result.errorText)")
      #expect(
        result.lines == [
          "True 21", "True ATT 0x82 application error 21", "True ATT 0x0e unlikely error",
          "/do: BlueZ leaves it to the central to close the link",
          "/characteristic: C0:00:00:00:00:01 has no characteristic ffe7", "running hci0 Lamp", "True",
          "True 21",
        ], "\(result.text)")
    }
  }

  @Test("A flood of notifications and confirmed indications arrive complete and in order")
  func flood() async throws {
    try await ToolFolder.with { folder in
      try folder.write(
        """
        {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Flood", "services": [{"uuid": "ffe0",
          "characteristics": [{"uuid": "ffe1", "properties": ["notify"], "notifies": {"flood": 2000}},
            {"uuid": "ffe2", "properties": ["indicate"], "notifies": {"flood": 20}}]}]}]}
        """, to: "flood.json")
      let result = try await folder.run(
        """
        blectl serve flood.json --simulate -q --exec true -- sh -c "blectl subscribe Flood ffe1 --count 2000 && \
        blectl subscribe Flood ffe2 --count 20" | cut -f2
        """)
      #expect(result.status == 0, "\(result.errorText)")
      let numbers = result.lines.map { line in Array(line.utf8.prefix(8)) }.map { digits in
        stride(from: 6, through: 0, by: -2).reduce(0) { sum, index in
          sum * 256 + (Int(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0)
        }
      }
      #expect(numbers == Array(0..<2000) + Array(0..<20))
    }
  }

  @Test("Ctrl-C takes the device off the air at once")
  func end() async throws {
    try await ServedLamp.serve { _, simulated, running in
      let heard = try await ServedLamp.central(simulated, "scan", "--count", "1")
      #expect(heard.text.contains("Lamp"))
      running.send(signal: SIGINT)
      _ = await running.result()
      let forgotten = try await ServedLamp.central(simulated, "unpair", "Lamp", "-q")
      #expect(forgotten.status == 0)
      let silence = try await ServedLamp.central(simulated, "scan", "--duration", "500ms")
      #expect(silence.text.isEmpty)
    }
  }

  @Test("When bluetoothd comes back, the device is published and advertised again, and keeps its values")
  func restart() async throws {
    try await ServedLamp.serve { _, simulated, running in
      #expect(try await ServedLamp.central(simulated, "write", "Lamp", "ffe1", "aa", "-q").status == 0)
      await simulated.simulator.killDaemon()
      #expect(await running.waitForErrors { $0.contains("(bluetoothd) has ended; Lamp is published again") })
      try await simulated.simulator.startDaemon()
      #expect(await running.waitForErrors { $0.contains("Lamp is published and advertised again") })
      #expect(try await ServedLamp.central(simulated, "read", "Lamp", "ffe1").lines == ["aa"])
    }
  }

  @Test("Logs get the links and the values", arguments: ["log.csv", "log.ndjson"])
  func log(_ name: String) async throws {
    try await ToolFolder.with { folder in
      try folder.write(ServedLamp.world, to: "lamp.json")
      let result = try await folder.run(
        "blectl serve lamp.json --simulate --log \(name) -q -- blectl write Lamp ffe1 aabb -q && cat \(name) >&2"
      )
      #expect(result.status == 0)
      let written = result.errorText.split(separator: "\n").filter { $0.contains("written") }
      #expect(written.count == 1 && written[0].contains("aabb"), "\(result.errorText)")
      #expect(result.errorText.contains("connected"))
    }
  }

  @Test("Parts that BlueZ cannot serve are named on stderr, and the rest is served")
  func limits() async throws {
    try await ToolFolder.with { folder in
      try folder.write(
        """
        {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "A lamp whose name is longer than it may be",
          "advertisement": {"services": ["ffe0", "5e2fe000-5c0e-4b1e-a5d2-6b2f0c7e91aa"],
            "manufacturer_data": {"0157": "0102030405060708"}},
          "services": [{"uuid": "1801", "characteristics": []}, {"uuid": "ffe0", "characteristics": [
            {"uuid": "ffe1", "properties": ["read", "write"], "on_read": {"error": "0x05"}, "on_write": "hang_up"},
            {"uuid": "ffe2", "properties": ["read"], "on_read": {"delay": "2s"}},
            {"uuid": "ffe3", "properties": ["write", "write-without-response"], "max_length": 2},
            {"uuid": "ffe4", "properties": ["write"], "max_length": 2, "security": "encrypted"}]}],
          "faults": [{"do": "drop-after-time", "time": "1s"}]}]}
        """, to: "lamp.json")
      let result = try await folder.run("blectl serve lamp.json --simulate -- true")
      #expect(result.status == 0)
      #expect(
        result.errorText.split(separator: "\n").filter { $0.hasPrefix("blectl: ") } == [
          "blectl: the name is cut to 'A lamp whose name is longer t': 29 bytes fit",
          "blectl: not advertised, because 31 bytes fit: service 5e2fe000-5c0e-4b1e-a5d2-6b2f0c7e91aa",
          "blectl: service 1801: BlueZ has its own",
          "blectl: drop-after-time: BlueZ leaves it to the central to close the link",
          "blectl: characteristic ffe1: reads get ATT 0x0e instead of 0x05, which BlueZ does not pass on",
          "blectl: characteristic ffe1: a write does not close the link",
          "blectl: characteristic ffe2: reads get ATT 0x0e after 500 ms, because BlueZ needs an answer",
          "blectl: characteristic ffe3: writes of more than 2 bytes have no effect, but are not refused, because BlueZ itself answers those of a characteristic without response",
          "blectl: centrals can pair, as its security requires, while an agent answers: blectl agent -i hci0 --yes",
        ])
    }
  }

  @Test("An inclusion that BlueZ cannot publish is named on stderr")
  func inclusions() async throws {
    try await ToolFolder.with { folder in
      try folder.write(
        """
        {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Shared", "services": [
          {"uuid": "aaa1", "includes": ["ccc1"], "characteristics": []},
          {"uuid": "bbb1", "includes": ["ccc1"], "characteristics": []},
          {"uuid": "ccc1", "primary": false, "includes": ["aaa1"], "characteristics": []}]}]}
        """, to: "shared.json")
      let result = try await folder.run("blectl serve shared.json --simulate -- true")
      let remarks = result.errorText.split(separator: "\n").filter { $0.hasPrefix("blectl:") }
      #expect(
        remarks == [
          "blectl: service ccc1: its inclusion of aaa1 is left out, because BlueZ cannot publish services that include each other"
        ])
    }
  }
}

/// A device, recorded, served, and recorded again from another adapter.
@Suite("Round trip of served devices")
struct ServeRoundTripTests {
  private static let script = """
    set -e
    option=$3
    blectl simulate -- blectl snapshot "$1" $option -q > first.json
    record() {  # FROM TO: serves a recorded device, and records it from the other adapter
      blectl serve "$1" --simulate -q --exec true -- sh -c '
        blectl scan --count 1 | cut -f2 > address
        blectl snapshot "$(cat address)" '"$option"' -q > '"$2"
    }
    record first.json second.json
    record second.json third.json
    """

  private static let addresses = World.builtIn.peripherals.map(\.address)

  @Test(
    "The copy differs in nothing but what belongs to the adapter, and a copy of the copy in nothing",
    arguments: addresses)
  func roundTrip(_ address: String) async throws {
    let original = try #require(World.builtIn.peripherals.first { $0.address == address })
    try await ToolFolder.with { folder in
      try folder.write(Self.script, to: "script")
      let option = original.advertisement.isConnectable ? "''" : "--beacon"
      let result = try await folder.run("bash script \(address) x \(option)")
      #expect(result.status == 0, "\(result.errorText)")
      let first = try Self.device(in: folder, "first.json")
      let second = try Self.device(in: folder, "second.json")
      #expect(second.services.isEmpty == first.services.isEmpty)
      #expect(Self.normalized(second) == Self.normalized(first))
      // The adapter has its own address, but a new random one for each beacon.
      var third = try Self.device(in: folder, "third.json")
      if !third.advertisement.isConnectable { third.address = second.address }
      #expect(third == second)
    }
  }

  private static func device(in folder: ToolFolder, _ name: String) throws -> PeripheralSpec {
    let world = try World(file: "\(folder.path)/\(name)")
    return try #require(world.peripherals.first)
  }

  /// A device without what belongs to the adapter: address, handles, TX power, and the services that BlueZ adds.
  private static func normalized(_ device: PeripheralSpec) -> PeripheralSpec {
    var device = device
    (device.address, device.isAddressPublic) = ("", false)
    device.advertisement.txPower = device.advertisement.txPower.map { _ in 0 }
    device.services.removeAll { service in
      let isPnP = service.characteristics.map(\.value) == [[0x02, 0x6b, 0x1d, 0x46, 0x02, 0x42, 0x05]]
      return service.uuid == BluetoothUUID(0x1801) || isPnP
    }
    for service in device.services.indices {
      device.services[service].handle = nil
      for characteristic in device.services[service].characteristics.indices {
        device.services[service].characteristics[characteristic].handle = nil
        for descriptor in device.services[service].characteristics[characteristic].descriptors.indices {
          device.services[service].characteristics[characteristic].descriptors[descriptor].handle = nil
        }
      }
    }
    return device
  }
}
