// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Listen")
struct ListenTests {
  @Test("A line has the time, the address, the name, the type and the values")
  func lines() async throws {
    let result = try await Blectl().run("listen", "Garden", "--count", "1", "--simulate")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.isEmpty)
    let fields = result.lines.first?.split(separator: "\t", omittingEmptySubsequences: false) ?? []
    #expect(result.lines.count == 1)
    #expect(fields.first?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
    #expect(fields.dropFirst().prefix(3) == ["C5:EA:50:00:00:01", "Garden", "bthome"])
    #expect(
      fields.last?.wholeMatch(
        of: /packet 42, battery 100 %, 25\.06 °C, humidity 50\.55 %, RSSI -\d+ dBm/) != nil,
      "\(result.text)")
  }

  @Test("A line for a person has the local time and the name of the format")
  func terminal() async throws {
    let result = try await Blectl().onTerminal(["listen", "Garden", "--count", "1", "--lines", "--simulate"])
    #expect(result.text.contains("listening; press Ctrl-C to stop"))
    #expect(!result.text.contains("DEVICE"))
    #expect(
      result.text.contains(
        /\d\d:\d\d:\d\d\.\d{6}[+-]\d{4} C5:EA:50:00:00:01  Garden  BTHome packet 42, battery 100 %, 25\.06 °C/
      ),
      "\(result.text)")
  }

  @Test("A table takes the terminal, gives it back, and leaves the last one; logs have the records")
  func table() async throws {
    try await ToolFolder.with { folder in
      let result = try await Blectl().onTerminal(
        [
          "listen", "Garden", "Attic", "--when", "temperature_celsius > 25", "--log",
          "\(folder.path)/log.ndjson", "--simulate",
        ], environment: ["NO_COLOR": "1"], until: { $0.contains("ALARM") && $0.contains(Self.keys) })
      #expect(result.status == 0, "\(result.text)")
      let parts = result.text.split(separator: "\u{1b}[?1049l", omittingEmptySubsequences: false)
      try #require(parts.count == 2)
      #expect(parts[0].contains("\u{1b}[?1049h") && parts[0].contains(Self.keys))
      #expect(!parts[1].contains("\u{1b}[?") && !result.text.contains("\u{1b}[31m"))
      #expect(parts[1].contains(/Attic +not heard yet/) && parts[1].contains(/Garden +ALARM .* 25\.06 °C/))
      let logged = try await folder.run("cat log.ndjson").records
      #expect(logged.compactMap { $0["event"]?.text }.prefix(3) == ["started", "value", "alarm"])
    }
  }

  private static let keys = "q end  ↑↓ select  Enter all values"

  @Test(
    "Where a table cannot be drawn, or is not wanted, a terminal gets what a pipe gets",
    arguments: [
      (["--json"], "xterm"), (["--lines"], "xterm"), ([], "dumb"), (["--log", "influx:-"], "xterm"),
    ])
  func noTable(options: [String], term: String) async throws {
    let result = try await Blectl().onTerminal(
      ["listen", "Garden", "--count", "1", "--simulate"] + options, environment: ["TERM": term])
    #expect(result.status == 0)
    #expect(!result.text.contains("\u{1b}[?1049h") && result.text.contains("25.06"), "\(result.text)")
  }

  @Test("Devices are chosen by name, pattern, part of a name or address, and several are heard at once")
  func devices() async throws {
    for (words, types) in [
      (["garden"], ["bthome"]), (["C1:BE:AC:00:00:03"], ["ruuvi"]), (["G*n"], ["bthome"]),
      (["C1:BE:AC:00:00:03", "Garden"], ["bthome", "ruuvi"]),
    ] {
      let result = try await Blectl().run(
        "listen", words[0], words.count > 1 ? words[1] : words[0], "--count", "\(types.count)", "--json",
        "--simulate")
      #expect(try result.records.compactMap { $0["type"]?.text }.sorted() == types, "\(words)")
    }
  }

  @Test("Filters of different kinds are all met, and those of one kind by one of them")
  func filters() async throws {
    let types = try await Blectl().run(
      "listen", "--type", "ruuvi", "--type", "pvvx", "--count", "2", "--json", "--simulate")
    #expect(try types.records.compactMap { $0["type"]?.text }.sorted() == ["pvvx", "ruuvi"])
    let service = try await Blectl().run(
      "listen", "--service", "fcd2", "--rssi", "-100", "--count", "1", "--json", "--simulate")
    #expect(try service.records.compactMap { $0["type"]?.text } == ["bthome"])
    let none = try await Blectl().run(
      "listen", "--type", "ruuvi", "--service", "fcd2", "--duration", "2s", "--simulate")
    #expect(none.status == 0)
    #expect(none.text.isEmpty)
  }

  @Test("Data of an unknown format is printed as digits, if its company is named")
  func unknownFormat() async throws {
    let result = try await Blectl().run("listen", "--manufacturer", "0157", "--count", "1", "--simulate")
    #expect(
      result.text.contains("\tC8:0F:10:01:02:03\tMI Band 2\t0157\t0100c80f10010203 RSSI -"), "\(result.text)")
  }

  @Test("With --all, each packet is printed")
  func everyPacket() async throws {
    let result = try await Blectl().run("listen", "Garden", "--all", "--count", "4", "--json", "--simulate")
    #expect(try result.records.filter { $0["event"]?.text == "value" }.count == 4)
  }

  @Test("All logs have the same values, and --plot-svg draws them")
  func logs() async throws {
    try await ToolFolder.with { folder in
      let line =
        "blectl listen --simulate --count 5 --json --log a.ndjson --log a.csv --log a.sqlite --log influx:a.lp "
        + "--plot-svg a.svg"
      let result = try await folder.run(line)
      #expect(result.status == 0, "\(result.errorText)")
      let values = try result.records.filter { $0["event"]?.text == "value" }
      #expect(values.count == 5)
      #expect(try await folder.run("cat a.ndjson").text == result.text)
      let script = """
        import csv, json, sqlite3
        values = [json.loads(line) for line in open('a.ndjson')]
        values = [value for value in values if value['event'] == 'value']
        rows = [row for row in csv.DictReader(open('a.csv', newline='')) if row['event'] == 'value']
        base = sqlite3.connect('a.sqlite')
        base.row_factory = sqlite3.Row
        table = [dict(row) for row in base.execute('SELECT * FROM advertised')]
        points = [line for line in open('a.lp') if line.startswith('bluetooth,')]
        print(len(values), len(rows), len(table), len(points))
        def number(value): return isinstance(value, (int, float)) and not isinstance(value, bool)
        for value, row, stored, point in zip(values, rows, table, points):
          for key, field in value['decoded'].items():
            if not number(field): continue
            assert float(row[key]) == field == stored[key], (key, row[key], field, stored[key])
            assert f'{key}=' in point
          assert row['time'] == value['time'] == stored['utc']
          assert row['type'] == value['type'] == stored['type']
          assert row['address'] == value['address'] == stored['address']
          assert row['value'] == value['value'] == stored['data'].hex()
        print('equal')
        """
      try folder.write(script, to: "compare.py")
      #expect(try await folder.run("python3 compare.py").text == "5 5 5 5\nequal\n")
      #expect(try await folder.run("grep -c '<svg' a.svg").text == "1\n")
    }
  }

  @Test("The end of a pipe, a limit and a signal end it as they end subscribe")
  func endings() async throws {
    let limited = try await Blectl().run("listen", "--duration", "1s", "--simulate")
    #expect(limited.status == 0)
    let running = try Blectl().start(["listen", "--simulate"])
    #expect(await running.waitForLines(3))
    running.send(signal: SIGTERM)
    let result = await running.result()
    #expect(result.signal == SIGTERM)
    #expect(result.text.hasSuffix("\n"))
  }

  @Test(
    "What makes no sense is refused before Bluetooth is used",
    arguments: [
      (["--type", "ruvi"], "did you mean ruuvi"), (["--count", "0"], "--count must be at least 1"),
      (["--plot", "--json"], "cannot be used together"),
      (["--plot", "--lines"], "--lines and --plot cannot be used together"),
      (["--home-assistant"], "--home-assistant needs --log"),
      (["--when", "temprature > -15"], "is not a field of these values; did you mean temperature"),
      (["--change", "temprature_celsius=1"], "did you mean temperature_celsius"),
      (["--when", "window = open"], "'open' is no value of window: it is yes or no"),
      (["--type", "bthome", "--when", "not window = YES"], "it is yes or no"),
      (
        ["--when", "temperature_celsius = 30,0"],
        "'30,0' is no value of temperature_celsius: write it with a point: 30.0"
      ),
      (["--when", "humidity_percent > 3 until = low"], "'low' is no value of humidity_percent"),
      (["--when", "window > 0"], "'window' has no order: it is yes or no"),
      (["--when", "window 0..1"], "'window' has no order"),
      (["--when", "door_state = opne"], "did you mean open?"),
      (["--change", "window=0.5"], "'window' is no number that changes by an amount: it is yes or no"),
      (
        ["Garden", "--when", "Freezer: temperature_celsius > 25"],
        "'Freezer' is none of the devices of this command (--when); they are Garden"
      ),
      (
        ["C5:EA:50:00:00:01", "--when", "C5:EA:50:00:00:02: temperature_celsius > 25"],
        "'C5:EA:50:00:00:02' is none of the devices of this command (--when)"
      ),
      (["--rssi", "40"], "--rssi must be between"), (["AA:BB:CC:DD:EE"], "is not a Bluetooth address"),
    ])
  func usage(_ arguments: [String], _ words: String) async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").start(["listen"] + arguments).result()
    #expect(result.status == 64)
    #expect(result.errorText.contains(words), "\(result.errorText)")
  }

  @Test("A passive listener says what bluetoothd must be started with")
  func passive() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run("listen", "--passive")
      #expect(result.status == 1)
      #expect(result.errorText.contains("hint: start bluetoothd with --experimental"))
    }
    let result = try await Blectl().run(
      "listen", "--passive", "--type", "ruuvi", "--count", "1", "--simulate")
    #expect(result.status == 0, "\(result.errorText)")
  }
}

@Suite("Listen, thinned out and watched")
struct ListenStageTests {
  @Test("Windows have one record of each sensor, with the means of its numbers")
  func averages() async throws {
    let result = try await Blectl().run(
      "listen", "--type", "bthome", "--all", "--every", "1s", "--average", "--count", "2", "--json",
      "--simulate")
    #expect(result.status == 0, "\(result.errorText)")
    let averages = try result.records.filter { $0["event"]?.text == "average" }
    #expect(averages.count == 2)
    #expect(averages.allSatisfy { $0["type"]?.text == "bthome" })
    #expect(averages.allSatisfy { $0["decoded"]?["temperature_celsius"]?.real == 25.06 })
    #expect(averages.allSatisfy { $0["decoded"]?["minimum_rssi_dbm"] != nil })
  }

  @Test("Neither the counter nor the strength of a packet is a change")
  func deadBand() async throws {
    let result = try await Blectl().run(
      "listen", "Garden", "--all", "--change", "0.1", "--duration", "3s", "--json", "--simulate")
    #expect(try result.records.count { $0["event"]?.text == "value" } == 1, "\(result.text)")
  }

  @Test("An alarm of a sensor is a record, and runs the command")
  func alarm() async throws {
    let result = try await Blectl().run(
      "listen", "--when", "temperature_celsius > 25 and humidity_percent > 50", "--exec",
      #"echo "$BLECTL_EVENT $BLECTL_NAME"; cat"#, "--duration", "3s", "--simulate")
    #expect(result.lines.first == "alarm Garden", "\(result.errorText)")
    #expect(try JSONRecord.parse([result.lines.last ?? ""]).first?["event"]?.text == "alarm")
    #expect(result.lines.count == 2)
  }

  @Test(
    "A device that an alarm is for, and that is never heard, is missed at the end, with the name that is meant"
  )
  func awaited() async throws {
    func errors(of device: String) async throws -> String {
      try await Blectl().run(
        "listen", "--when", "\(device): temperature_celsius > 25", "--duration", "2s", "--simulate"
      ).errorText
    }
    #expect(
      try await errors(of: "Gardn")
        == "blectl: --when: no values came from a device called 'Gardn'; did you mean Garden?\n")
    #expect(try await errors(of: "garde").isEmpty)
  }

  @Test("A field of an alarm that its device never sends is missed at the end, with the fields that it sends")
  func awaitedField() async throws {
    let result = try await Blectl().run(
      "listen", "--when", "Garden: power_w > 5", "--duration", "2s", "--simulate")
    #expect(
      result.errorText.hasPrefix(
        "blectl: --when: no values of Garden had power_w; they had battery_percent, temperature_celsius"),
      "\(result.errorText)")
    #expect(result.errorText.split(separator: "\n").count == 1)
  }

  @Test("A named sensor that is never heard is absent, and one that repeats its values is not")
  func absence() async throws {
    let result = try await Blectl().run(
      "listen", "Garden", "Attic", "--absent", "2s", "--duration", "5s", "--json", "--simulate")
    let absent = try result.records.filter { $0["event"]?.text == "absent" }
    #expect(absent.map { $0["name"]?.text } == ["Attic"], "\(result.text)")
  }

  @Test(
    "A certain device that is not heard within --duration is not found; one of several, or a pattern, may be away"
  )
  func notHeard() async throws {
    for device in ["Gardn", "C5:EA:50:00:00:0F"] {
      let result = try await Blectl().run("listen", device, "--duration", "2s", "--simulate")
      #expect(result.status == 4, "\(device): \(result.errorText)")
      let message = "blectl: cannot find \(device): it was not heard before the end of --duration"
      #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
      #expect(result.errorText.contains("did you mean Garden?") == (device == "Gardn"), "\(result.errorText)")
    }
    for devices in [["Attic*"], ["Attic", "Garden"], ["Attic", "--absent", "1s"]] {
      let result = try await Blectl().start(
        ["listen"] + devices + ["--duration", "2s", "--simulate"]
      ).result()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.errorText.contains("\(devices[0]) was not heard"), "\(result.errorText)")
    }
    let heard = try await Blectl().run("listen", "Garden", "--duration", "2s", "--simulate")
    #expect(heard.status == 0 && heard.errorText.isEmpty, "\(heard.errorText)")
  }

  @Test("The missing are listed, those that were named or those of a profile; without any it ends at once")
  func missing() async throws {
    let named = try await Blectl().run(
      "listen", "Garden", "Attic", "--missing", "--duration", "2s", "--simulate")
    #expect(named.status == 0)
    #expect(named.lines.count == 1 && named.text.contains("\tabsent\t") && named.text.hasSuffix("\tAttic\n"))
    let misspelt = try await Blectl().run("listen", "Gardn", "--missing", "--duration", "1s", "--simulate")
    #expect(misspelt.errorText == "blectl: Gardn was not heard; did you mean Garden?\n")
    let none = try await Blectl().run("listen", "Garden", "--missing", "--duration", "10m", "--simulate")
    #expect(none.status == 0 && none.text.isEmpty)
    try await ToolFolder.with { folder in
      try folder.write(
        """
        {"devices": [{"name": "Attic", "address": "C5:EA:50:00:00:02"},
          {"name": "My garden", "address": "C5:EA:50:00:00:01"}]}
        """, to: "own.json")
      let own = try await folder.run(
        "blectl listen --missing --duration 2s --profile own.json --json --simulate")
      #expect(try own.records.compactMap { $0["address"]?.text } == ["C5:EA:50:00:00:02"], "\(own.errorText)")
    }
    let nobody = try await Blectl().run("listen", "--missing", "--simulate")
    #expect(nobody.status == 64)
    #expect(nobody.errorText.contains("--missing needs devices, or a profile with devices"))
  }
}
