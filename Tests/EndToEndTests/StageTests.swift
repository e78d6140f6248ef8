// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

/// `subscribe --every`, `--average`, `--change`, `--when`, `--absent` and `--exec`, and `read --log`, as a user runs them.
@Suite("Less data, alarms and absences")
struct StageTests {
  /// A thermometer that sends 20, 26, 24.5 and 23 degrees, one each 50 ms.
  private static let world = """
    cat >world.json <<'END'
    {"peripherals": [{"address": "F0:F1:F2:F3:F4:01", "name": "Oven", "services": [{"uuid": "181a", "characteristics": [
      {"uuid": "2a6e", "properties": ["read", "notify"], "value": "d007",
       "notifies": {"list": ["d007", "280a", "9209", "fc08"], "every": "50ms"}}]}]}]}
    END
    """

  private func run(_ script: String) async throws -> ToolResult {
    try await Blectl.runScript("\(Self.world)\n\(script)")
  }

  @Test("Averages reach stdout, a table and a database, with windows at full fifths of a second")
  func averages() async throws {
    let result = try await run(
      """
      $BLECTL subscribe Oven temperature --every 200ms --average --count 4 --json --simulate=world.json \
        --log a.csv --log a.sqlite >out
      python3 - <<'END'
      import csv, json, sqlite3
      records = [json.loads(line) for line in open('out')]
      averages = [record for record in records if record['event'] == 'average']
      print([record['event'] for record in records])
      print(all(float(record['from'][17:26]) * 1000 % 200 == 0 for record in averages))
      decoded = [record['decoded'] for record in averages]
      print(all(20 <= d['minimum_temperature_celsius'] <= d['temperature_celsius'] <= d['maximum_temperature_celsius'] <= 26
        for d in decoded))
      print(sum(record['count'] for record in averages) > 4)
      rows = [row for row in csv.DictReader(open('a.csv')) if row['event'] == 'average']
      print([float(row['temperature_celsius']) for row in rows] == [record['decoded']['temperature_celsius'] for record in averages])
      print([int(row['count']) for row in rows] == [record['count'] for record in averages])
      print(list(rows[0])[-4:])
      print(sqlite3.connect('a.sqlite').execute("select count(*) from value where via = 'average'").fetchall())
      END
      """)
    #expect(
      result.lines == [
        "['connected', 'average', 'average', 'average', 'average']", "True", "True", "True", "True",
        "True",
        "['temperature_celsius', 'minimum_temperature_celsius', 'maximum_temperature_celsius', 'name']",
        "[(4,)]",
      ])
    #expect(result.errorText.isEmpty)
  }

  @Test(
    "A day begins at midnight UTC, whatever the time zone is", arguments: ["Asia/Kathmandu", "America/Nome"])
  func zones(_ zone: String) async throws {
    let result = try await run(
      """
      TZ=\(zone) $BLECTL subscribe Oven temperature --every 1d --average --duration 300ms --json --simulate=world.json |
        grep -o '"from":"[^"]*' | cut -dT -f2
      """)
    #expect(result.lines == ["00:00:00.000000Z"])
  }

  @Test("--change leaves out what differs too little, and --count counts what is left")
  func deadBand() async throws {
    let result = try await run(
      "$BLECTL subscribe Oven temperature --change 3 --count 4 --as auto --simulate=world.json | cut -f2")
    // 24.5 and 23 after 26: the latter differs by 3.
    #expect(result.lines == ["20.00 °C", "26.00 °C", "23.00 °C", "20.00 °C"])
  }

  @Test("--exec runs for alarms only, with the record on its standard input; values are still logged")
  func alarms() async throws {
    let result = try await run(
      """
      $BLECTL subscribe Oven temperature --when 'temperature_celsius > 25 until < 24' --count 8 --log a.csv \
        --exec 'echo "$BLECTL_EVENT $BLECTL_NAME $BLECTL_WHEN"; cut -d, -f1; cat >/dev/null' --simulate=world.json
      cut -d, -f2,9,12 a.csv | tr -d '\\r'
      """)
    let alarm = ["alarm Oven temperature_celsius > 25 until < 24", #"{"event":"alarm""#]
    let cleared = ["cleared Oven temperature_celsius > 25 until < 24", #"{"event":"cleared""#]
    let rows = [
      "value,,20.00", "value,,26.00", "alarm,temperature_celsius > 25 until < 24,26.00", "value,,24.50",
      "value,,23.00", "cleared,temperature_celsius > 25 until < 24,23.00",
    ]
    let header = ["event,reason,temperature_celsius", "connected,,"]
    #expect(result.lines == [alarm, cleared, alarm, cleared, header, rows, rows].flatMap(\.self))
    #expect(result.errorText.isEmpty)
  }

  @Test("Alarms are lines of text too")
  func lines() async throws {
    let result = try await run(
      """
      $BLECTL subscribe Oven temperature --when 'temperature_celsius > 25' --count 3 --simulate=world.json | cut -f2-
      """)
    #expect(
      result.lines == [
        "d007", "280a", "F0:F1:F2:F3:F4:01\talarm\ttemperature_celsius > 25\t26.00 °C\tOven", "9209",
        "F0:F1:F2:F3:F4:01\tcleared\ttemperature_celsius > 25\t24.50 °C\tOven",
      ])
  }

  @Test("--exec without conditions runs for each value, instead of printing it")
  func valueCommand() async throws {
    let result = try await run(
      """
      $BLECTL subscribe Oven temperature --count 2 --simulate=world.json \
        --exec 'echo "$BLECTL_EVENT $BLECTL_ADDRESS $BLECTL_CHARACTERISTIC $BLECTL_VALUE"; cat | grep -o decoded.*}'
      """)
    let source = "value F0:F1:F2:F3:F4:01 00002a6e-0000-1000-8000-00805f9b34fb"
    #expect(
      result.lines == [
        "\(source) d007", #"decoded":{"temperature_celsius":20.00},"via":"signal"}"#, "\(source) 280a",
        #"decoded":{"temperature_celsius":26.00},"via":"signal"}"#,
      ])
  }

  @Test("A device that is silent is reported, and so is its return")
  func absence() async throws {
    let result = try await run(
      """
      sed 's/50ms/2s/' world.json >slow.json
      $BLECTL subscribe Oven temperature --absent 500ms --count 2 --json --simulate=slow.json >out
      sed -n '/"connected"/,$p' out | grep -o '"event":"[a-z]*"'
      sed '1,/"value"/d' out | grep returned | grep -c '"silence_seconds":[12][.]'
      """)
    #expect(
      result.lines == [
        #""event":"connected""#, #""event":"absent""#, #""event":"returned""#, #""event":"value""#,
        #""event":"absent""#, #""event":"returned""#, #""event":"value""#, "1",
      ])
  }

  @Test("A device that never comes is absent, by the name that the command has for it")
  func neverHeard() async throws {
    let running = try Blectl().start([
      "subscribe", "Nobody", "temperature", "--reconnect", "--absent", "1s", "--json", "-q", "--simulate",
    ])
    #expect(await running.waitForLines(1))
    running.send(signal: SIGINT)
    let record = try #require(try await running.result().records.first)
    #expect(record["event"]?.text == "absent" && record["name"]?.text == "Nobody")
    #expect(record["silence_seconds"]?.real == 1)
    #expect(record["address"] == nil && record["last"] == nil)
  }

  @Test("What read reads is logged too")
  func readLog() async throws {
    let result = try await run(
      """
      $BLECTL read Oven temperature --every 100ms --count 3 --json --simulate=world.json --log a.csv --log a.ndjson >out
      grep -v '"connected"' a.ndjson | cmp - out && cut -d, -f2,7,8,12 a.csv | tr -d '\\r'
      $BLECTL read Oven temperature --log influx:- --simulate=world.json; echo "status $?"
      $BLECTL read Oven temperature --log a.txt --simulate=world.json; echo "status $?"
      """)
    #expect(
      result.lines == [
        "event,value,via,temperature_celsius", "connected,,,", "value,d007,read,20.00",
        "value,d007,read,20.00",
        "value,d007,read,20.00", "status 64", "status 64",
      ])
    let errors = result.errorText.split(separator: "\n").filter { $0.hasPrefix("blectl: ") }
    #expect(errors.count == 2 && errors.allSatisfy { $0.contains("--log") }, "\(result.errorText)")
  }

  @Test("A field of another device of the command is refused for the device of an alarm")
  func fieldOfAnotherDevice() async throws {
    let result = try await Blectl().run(
      "subscribe", "Strap:2a37", "Thermometer:2a6e", "--when", "Strap: temperature_celsius > 5",
      "--simulate")
    #expect(result.status == 64)
    #expect(
      result.errorText.contains("'temperature_celsius' is not a field of these values"), "\(result.errorText)"
    )
  }

  @Test(
    "Options that make no sense are refused",
    arguments: [
      (["--average"], "--average needs --every"), (["--every", "0"], "--every must be longer than 0"),
      (["--absent", "0"], "--absent must be longer than 0"), (["--jobs", "2"], "--jobs needs --exec"),
      (["--change", "much"], "'much' is not a change; use 0.2, or temperature_celsius=0.2 for one field"),
      (["--when", "temperature_celsius > hot"], "'hot' is not a number"),
      (
        ["--when", "temprature_celsius > 5"],
        "'temprature_celsius' is not a field of these values; did you mean temperature_celsius?"
      ),
      (
        ["--change", "pressure=5"],
        "'pressure' is not a field of these values; the fields are temperature_celsius"
      ),
      (
        ["--when", "Nope: temperature_celsius > 5"], "'Nope' is none of the devices of this command (--when)"
      ),
      (["--when", "Ovn: temperature_celsius > 5"], "did you mean Oven?"),
      (["--exec", "cat", "--log", "influx:-"], "--log influx:- and --exec cannot be used together"),
    ])
  func refusals(_ options: [String], _ reason: String) async throws {
    let result = try await Blectl().start(["subscribe", "Oven", "2a6e"] + options).result()
    #expect(result.status == 64)
    #expect(result.errorText.contains(reason), "\(result.errorText)")
  }
}
