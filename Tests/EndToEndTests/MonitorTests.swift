// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Monitor")
struct MonitorTests {
  /// Starts it, and waits until it watches.
  private func start(_ blectl: Blectl, _ arguments: String...) async throws -> ToolRun {
    try await start(blectl, arguments)
  }

  private func start(_ blectl: Blectl, _ arguments: [String]) async throws -> ToolRun {
    let running = try blectl.start(["monitor", "-v"] + arguments)
    #expect(await running.waitForErrors { $0.contains("watching") })
    return running
  }

  @Test("The actions of other programs are reported, until Ctrl-C")
  func others() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let running = try await start(blectl, "--json")
      #expect(try await blectl.run("read", "Heart Strap", "2a19").status == 0)
      #expect(await running.waitForOutput { $0.contains("\"disconnected\"") })
      #expect(try await blectl.run("adapter", "off").status == 0)
      #expect(await running.waitForOutput { $0.contains("\"state\":\"off\"") })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      let strap = try result.records.filter { $0["address"]?.text == "F0:F1:F2:F3:F4:F5" }
      let events = strap.compactMap { $0["event"]?.text }
      let places = ["found", "connected", "value", "disconnected"].map { events.firstIndex(of: $0) }
      let found = places.compactMap(\.self)
      #expect(found.count == places.count && found.sorted() == found)
      let value = strap.first { $0["event"]?.text == "value" }
      #expect(value?["value"]?.text == "57")
      #expect(value?["decoded"]?["battery_level_percent"]?.number == 87)
      let properties = strap.flatMap { $0["properties"]?.elements.map(\.text) ?? [] }
      #expect(properties.contains("services_resolved"))
      let times = try result.records.map { $0["time"]?.text }
      #expect(!times.contains(nil))
    }
  }

  @Test("Monitor --scan says which command announces to Home Assistant what devices advertise")
  func homeAssistant() async throws {
    let running = try Blectl().start([
      "monitor", "--scan", "--home-assistant", "--reconnect", "--log", "mqtt://127.0.0.1:1/ble", "--simulate",
    ])
    let isSaid = await running.waitForErrors {
      $0.contains("those that devices advertise: blectl listen --home-assistant\n")
    }
    #expect(isSaid)
    running.send(signal: SIGINT)
    _ = await running.result()
  }

  @Test("--event filters, --count and --duration end monitor, and a line has five fields")
  func limits() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let found = try await blectl.run("monitor", "--scan", "--event", "found", "--count", "3", "-q")
      #expect(found.status == 0)
      #expect(found.errorText.isEmpty)
      let fields = found.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(fields.count == 3)
      #expect(fields.allSatisfy { $0.count == 5 && $0[1] == "found" })
      #expect(try await blectl.run("monitor", "--duration", "200ms").status == 0)
    }
  }

  @Test("--exec gets the record and the variables, one at a time; failures are reported on stderr")
  func hook() async throws {
    try await withSimulator { simulated in
      let command =
        #"echo "begin $BLECTL_EVENT $BLECTL_ADDRESS $BLECTL_NAME $BLECTL_ADAPTER"; cat; echo end; exit 3"#
      let result = try await Blectl(bus: simulated.address).run(
        "monitor", "--scan", "--event", "found", "--count", "4", "--exec", command, "-q")
      #expect(result.status == 0)
      #expect(result.lines.count == 12)
      for index in stride(from: 0, to: result.lines.count, by: 3) {
        let record = try #require(try JSONRecord.parse([result.lines[index + 1]]).first)
        let words = ["begin found", record["address"]?.text ?? "", record["name"]?.text ?? "", "hci0"]
        #expect(result.lines[index] == words.joined(separator: " "))
        #expect(result.lines[index + 2] == "end")
      }
      let complaints = result.errorText.split(separator: "\n")
      #expect(complaints.count == 4)
      // By its name, if it has one.
      let names = try JSONRecord.parse(result.lines.enumerated().filter { $0.offset % 3 == 1 }.map(\.element))
        .map { $0["name"]?.text ?? $0["address"]?.text ?? "" }
      #expect(
        complaints.map { "\($0)" }
          == names.map { "blectl: the command for 'found' of \($0) ended with status 3" })
      #expect(complaints.allSatisfy { $0.hasPrefix("blectl: the command for 'found' of ") })
      #expect(complaints.allSatisfy { $0.hasSuffix(" ended with status 3") })
    }
  }

  @Test("A command of --exec finds the simulated bus, and may run beside others")
  func hookBus() async throws {
    let command = #"\#(Blectl.path) info "$BLECTL_ADDRESS" --json"#
    let result = try await Blectl(bus: "unix:path=/nonexistent").run(
      "monitor", "--simulate", "--scan", "--event", "found", "--count", "3", "--jobs", "3", "--exec", command)
    #expect(try result.records.count == 3, "\(result.errorText)")
  }

  @Test("A command of --exec that runs does not keep later events from the log")
  func logBesideCommand() async throws {
    try await withSimulator { simulated in
      try await ToolFolder.with { folder in
        let log = "\(folder.path)/log.ndjson"
        let blectl = Blectl(bus: simulated.address)
        let running = try blectl.start(
          ["monitor", "--scan", "--exec", "echo started; exec sleep 600", "--log", log])
        #expect(await running.waitForOutput { $0.contains("started") })
        #expect(try await blectl.run("connect", "Piano", "-q").status == 0)
        // It prints the log as it grows, until the event is there.
        let seen = try await folder.run(
          "timeout 60 tail -n +1 -f \(log) | grep -m 1 -o '\"event\":\"connected\"'")
        #expect(seen.lines == ["\"event\":\"connected\""])
        running.send(signal: SIGTERM)
        _ = await running.result()
      }
    }
  }

  @Test(
    "Ctrl-C ends the command of --exec too, even one that does not want to end",
    arguments: ["echo started; exec sleep 600", "trap '' TERM; echo started; while :; do :; done"])
  func interrupted(_ command: String) async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(["monitor", "--scan", "--exec", command])
      #expect(await running.waitForLines(1))
      running.send(signal: SIGINT)
      // Over only when the command, which has the same output, has ended too.
      #expect(await running.result().signal == SIGINT)
    }
  }

  @Test("Without bluetoothd there is nothing to watch; one that ends later is reported, and waited for")
  func outage() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let running = try await start(blectl, "--event", "state", "--count", "3")
      await simulated.simulator.killDaemon()
      let late = try await blectl.run("monitor")
      #expect(late.status == 3)
      #expect(late.errorText.hasSuffix("hint: sudo systemctl start bluetooth\n"))
      try await simulated.simulator.startDaemon()
      #expect(await running.waitForOutput { $0.contains("\ton\n") })
      await simulated.simulator.setPowered(false)
      let result = await running.result()
      #expect(result.status == 0)
      let states = result.lines.map { $0.split(separator: "\t").last.map(String.init) ?? "" }
      #expect(states.first == "service_unavailable" && states.contains("on"), "\(states)")
    }
  }

  @Test("The loss of the bus ends monitor with status 3")
  func lostBus() async throws {
    let simulated = try await SimulatedBus.start(world: .builtIn, timing: .brisk)
    let running = try await start(Blectl(bus: simulated.address))
    await simulated.stop()
    let result = await running.result()
    #expect(result.status == 3)
    #expect(result.errorText.contains("the connection to the bus is lost"))
  }

  @Test("A scan of monitor goes on after the adapter was off, and after bluetoothd ended")
  func scanGoesOn() async throws {
    try await withSimulator { simulated in
      let simulator = simulated.simulator
      let running = try await start(
        Blectl(bus: simulated.address), "--scan", "--event", "found", "--address", Address.piano)
      #expect(await running.waitForLines(1))
      await simulator.setPowered(false)
      await simulator.setPowered(true)
      #expect(await running.waitForLines(2))
      await simulator.killDaemon()
      try await simulator.startDaemon()
      #expect(await running.waitForLines(3))
      running.send(signal: SIGINT)
      #expect(await running.result().signal == SIGINT)
    }
  }

  @Test("--address and --name leave out other devices, and events that concern no device")
  func devices() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let byAddress = try await start(
        blectl, "--address", Address.piano, "--address", Address.strap, "--json")
      let byName = try await start(blectl, "--name", "Pian?", "--json")
      #expect(try await blectl.run("adapter", "off").status == 0)
      #expect(try await blectl.run("adapter", "on").status == 0)
      for name in ["Thermometer", "Heart Strap", "Piano"] {
        #expect(try await blectl.run("connect", name).status == 0)
      }
      for running in [byAddress, byName] {
        #expect(
          await running.waitForOutput { text in
            text.split(separator: "\n").contains {
              $0.contains("\"event\":\"connected\"") && $0.contains(Address.piano)
            }
          })
        running.send(signal: SIGINT)
      }
      let addresses = Set(try await byAddress.result().records.map { $0["address"]?.text })
      #expect(addresses == [Address.piano, Address.strap])
      let piano = Set(try await byName.result().records.map { $0["address"]?.text })
      #expect(piano == [Address.piano])
    }
  }

  @Test("Changes of nothing but the strength are shown with --rssi only", arguments: [false, true])
  func strength(_ isWanted: Bool) async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let options = ["--scan", "--event", "changed", "--event", "connected", "--json"]
      let running = try await start(blectl, options + (isWanted ? ["--rssi"] : []))
      // Heard with several strengths: those are changes.
      let strengths = try blectl.start(["scan", "--address", Address.piano, "--duplicates", "--count", "3"])
      for strength: Int16 in [-20, -90, -30] {
        #expect(await strengths.waitForOutput { $0.contains(Address.piano) })
        try await simulated.simulator.perform(.peripheral(Address.piano, .setRSSI(strength)))
      }
      #expect(await strengths.result().status == 0)
      #expect(try await blectl.run("connect", Address.piano).status == 0)
      #expect(await running.waitForOutput { $0.contains("\"event\":\"connected\"") })
      running.send(signal: SIGINT)
      let changes = try await running.result().records.compactMap { $0["properties"]?.elements.map(\.text) }
      #expect(changes.contains(["rssi"]) == isWanted)
    }
  }

  @Test("In a pipe, monitor prints nothing on stderr")
  func quiet() async throws {
    let result = try await Blectl().run("monitor", "--simulate", "--scan", "--count", "1")
    #expect(result.status == 0)
    #expect(result.errorText == "")
  }
}
