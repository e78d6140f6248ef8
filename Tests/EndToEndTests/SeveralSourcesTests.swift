// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `subscribe DEVICE:CHAR…`: several devices in one log.
@Suite("Several devices in one log")
struct SeveralSourcesTests {
  private static let strap = "F0:F1:F2:F3:F4:F5"
  private static let thermometer = "E7:10:20:30:40:50"

  private func events(_ records: [JSONRecord]) -> [String] { records.compactMap { $0["event"]?.text } }

  @Test("Pairs go into one log, each device with its own characteristics")
  func oneLog() async throws {
    let result = try await Blectl.runScript(
      """
      $BLECTL subscribe 'Heart Strap:2a37' \(Self.thermometer):2a6e 'Heart Strap:2a19' --start-together --count 6 \\
        --simulate --log ride.csv -q >out
      echo "status $?"; cut -d, -f2 ride.csv | sort | uniq -c | sed 's/^ *//'
      grep Z,value, ride.csv | cut -d, -f3,5 | cut -c1-26 | sort -u; cut -f2,3 out | sort -u
      """)
    #expect(
      result.lines == [
        "status 0", "1 begun", "2 connected", "1 event", "6 value", "\(Self.thermometer),00002a6e",
        "\(Self.strap),00002a37", "\(Self.thermometer)\t2a6e", "\(Self.strap)\t2a37",
      ], "\(result.errorText)")
  }

  @Test("With --start-together, nothing is recorded until the last device is subscribed to")
  func startTogether() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.vanish(Self.thermometer)
      let running = try Blectl(bus: simulated.address).start(
        [
          "subscribe", "Heart Strap:2a37", "Thermometer:2a6e", "--start-together", "--json", "--reconnect",
          "--duration", "2s",
        ], limit: .seconds(100))
      // Meanwhile the strap sends a value each half a second.
      #expect(await running.waitForErrors { $0.contains("waiting for Thermometer\n") })
      await simulated.simulator.appear(Self.thermometer)
      let result = await running.result()
      #expect(result.status == 0, "\(result.errorText)")
      let records = try result.records
      let first = events(records).prefix(3)
      #expect(first == ["connected", "connected", "begun"], "\(result.text)")
      let zero = try #require(records[2]["time"]?.text)
      let values = records.dropFirst(3)
      #expect(values.allSatisfy { $0["event"]?.text == "value" && ($0["time"]?.text ?? "") >= zero })
      #expect(Set(values.compactMap { $0["address"]?.text }) == [Self.strap, Self.thermometer])
      // The first ones that the strap has sent are not among them.
      #expect(values.first { $0["address"]?.text == Self.strap }?["value"]?.text != "003c")
    }
  }

  @Test("A device that is missing ends a common start with its reason, and nothing is recorded")
  func missingAtStart() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", "Heart Strap:2a37", "Nobody:2a19", "--start-together", "--timeout", "2s", "--json")
      #expect(result.status == 4)
      #expect(result.errorText.contains("blectl: cannot find Nobody: not found before the timeout"))
      #expect(!result.text.contains(#""event":"value""#))
    }
  }

  @Test("Without a common start, a device that is missing is reported, and the others go on")
  func missing() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", "Heart Strap:2a37", "Nobody:2a19", "--timeout", "2s", "--duration", "4s", "--json")
      #expect(result.status == 1)
      #expect(result.errorText.contains("blectl: cannot find Nobody: not found before the timeout"))
      #expect(result.errorText.contains("cannot continue with 1 of 2 devices"), "\(result.errorText)")
      #expect(result.text.contains(#""event":"value""#))
    }
  }

  @Test("When no device is left, the command ends")
  func noneLeft() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).start(
        ["subscribe", "Heart Strap:2a99", "Thermometer:2a99", "--timeout", "2s"], limit: .seconds(60)
      ).result()
      #expect(result.status == 1)
      #expect(result.errorText.contains("cannot continue with 2 of 2 devices"), "\(result.errorText)")
    }
  }

  @Test("Without Bluetooth, the status says so, as for one device")
  func noBluetooth() async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").run(
      "subscribe", "Heart Strap:2a37", "Thermometer:2a6e")
    #expect(result.status == 3, "\(result.errorText)")
  }

  @Test("Two names of one device are an error of the second")
  func twoNames() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", "Heart Strap:2a37", "\(Self.strap):2a19", "--count", "3")
      #expect(
        result.errorText.contains(
          "blectl: cannot use \(Self.strap): it is the same device as Heart Strap"), "\(result.errorText)")
      #expect(result.lines.count == 3)
    }
  }

  @Test("With --all, a pair is for all devices that match, and a pattern that matches none is reported")
  func all() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", "*Strap:2a37", "MI*:2a37", "Nobody*:2a19", "--all", "--timeout", "3s", "--duration",
        "5s",
        "--json")
      #expect(result.status == 1)
      #expect(
        result.errorText.contains("blectl: cannot find Nobody*: none was found before the timeout"),
        "\(result.errorText)")
      let values = try result.records.filter { $0["event"]?.text == "value" }
      #expect(Set(values.compactMap { $0["address"]?.text }) == [Self.strap, "C8:0F:10:01:02:03"])
    }
  }

  @Test("--read-first records the present values; what sends no notifications is only read")
  func readFirst() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", "Heart Strap", "2a37", "2a19", "2a29", "--read-first", "--count", "3", "--json")
      #expect(result.status == 0)
      let records = try result.records
      #expect(events(records) == ["connected", "value", "value", "value"], "\(result.text)")
      #expect(records.compactMap { $0["via"]?.text } == ["read", "read", "signal"])
      let characteristics = records.compactMap { $0["characteristic"]?.text?.dropFirst(4).prefix(4) }
      #expect(characteristics == ["2a19", "2a29", "2a37"])
      #expect(
        result.errorText == "2a29 of Heart Strap is only read: it sends no notifications\n",
        "\(result.errorText)")
    }
  }

  @Test(
    "With --read-first, what can only be read is read, and the command ends; with --all, it waits for others")
  func onlyRead() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let one = try await blectl.run("subscribe", "Heart Strap", "2a29", "--read-first", "--json", "-q")
      #expect(one.status == 0, "\(one.errorText)")
      #expect(try events(one.records) == ["connected", "value"], "\(one.text)")
      let all = try await blectl.run(
        "subscribe", "*Strap", "2a29", "--all", "--read-first", "--duration", "2s", "--json", "-q")
      #expect(all.status == 0, "\(all.errorText)")
      #expect(try events(all.records) == ["connected", "value"], "\(all.text)")
    }
  }

  @Test("A log that is continued says how long the logger was away; a single value that is read is no logger")
  func away() async throws {
    let result = try await Blectl.runScript(
      """
      for _ in 1 2; do
        $BLECTL subscribe 'Heart Strap' 2a37 --count 1 -q --simulate --log a.csv --log a.ndjson --log a.db >out
      done
      for _ in 1 2; do $BLECTL read 'Heart Strap' 2a19 -q --simulate --log b.csv >out; done
      cut -d, -f2 a.csv b.csv | tr '\\n' ' '; echo; grep -c '"event":"away","time":"[^"]*","gap_seconds":[0-9.]*}' a.ndjson
      python3 -c "import sqlite3
      print(sqlite3.connect('a.db').execute('SELECT event, device, gap_seconds > 0 FROM link').fetchall())"
      """)
    #expect(
      result.lines == [
        "event connected value away connected value event connected value connected value ", "1",
        "[('connected', 1, None), ('away', None, 1), ('connected', 1, None)]",
      ], "\(result.errorText)")
  }
}
