// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// The scale for beehives of the examples, which does not exist: its profile names and describes all of its values.
@Suite("A device of one's own")
struct OwnDeviceTests {
  private static let folder = RecordedFile.path("Examples/hive")

  private func run(_ script: String) async throws -> ToolResult {
    try await Blectl.runScript(
      """
      export XDG_CONFIG_HOME=$D BLECTL_PROFILE=\(Self.folder)/profile.json
      WORLD=\(Self.folder)/world.json
      hive() { local command=$1; shift; "$BLECTL" "$command" 'Hive Scale' "$@" --simulate=$WORLD; }

      """ + script)
  }

  @Test("Every attribute has its name, and every value its fields")
  func tree() async throws {
    let result = try await run(
      """
      hive services --read --json >tree
      python3 -c "import json
      for service in json.load(open('tree'))['services']:
        if service.get('name') == 'Hive':
          for one in service['characteristics']:
            print(one['name'], json.dumps(one.get('decoded')))
            for more in one['descriptors']: print(' ', more['name'], json.dumps(more.get('decoded')))"
      """)
    #expect(
      result.lines.filter { !$0.contains("Client Characteristic") } == [
        #"climate {"temperature_celsius": 34.5, "humidity_percent": 56.0, "pressure_pa": 101325.0}"#,
        "imu null",
        #"load {"mass_kg": 41.5}"#,
        #"  settling time {"time_s": 2.5}"#,
        #"config {"rate": 10, "mode": "slow", "trim_kg": -1.0}"#,
        #"state {"lid_open": true, "alarm": false, "season": "summer", "battery_percent": 97}"#,
        "sound null",
        #"history {"masses_kg": [41.5, 41.48, 41.52]}"#,
        #"clock {"time": "2026-07-22T14:10:35Z", "zone_minutes": 120}"#,
        #"label {"text": "Linden yard"}"#,
        #"visits {"has_temperature": true, "has_count": false, "temperature_celsius": 34.5}"#,
        #"identity {"model": "HW-2", "id": "00a1b2c3d4e5", "made": "2026-04-12T09:30:00", "turns": 123456789012}"#,
      ], "\(result.errorText)")
  }

  @Test("Names stand for UUIDs, and text shows the fields")
  func reading() async throws {
    let result = try await run(
      """
      hive read climate label --as auto; hive read hive/history --as auto
      hive services | grep -c 'settling time'
      "$BLECTL" decode imu 000cfffc03d5; "$BLECTL" decode climate temperature=1 humidity=2 pressure=3 --json
      """)
    #expect(
      result.lines == [
        "b33f0002-6869-4765-8f01-5ca1ab1e0001\ttemperature 34.50 °C, humidity 56.0 %, pressure 101325.0 Pa\t7a0d7002760f00",
        "b33f000a-6869-4765-8f01-5ca1ab1e0001\tLinden yard\t4c696e64656e2079617264",
        "41.50 41.48 41.52 kg\t03361034103810", "1",
        "ax 0.12 m/s², ay -0.04 m/s², az 9.81 m/s²",
        #"{"uuid":"b33f0002-6869-4765-8f01-5ca1ab1e0001","name":"climate","value":"6400041e000000","#
          + #""decoded":{"temperature_celsius":1.00,"humidity_percent":2.0,"pressure_pa":3.0}}"#,
      ], "\(result.errorText)")
  }

  @Test("Errors call a characteristic as the profile does, and tell its UUID with -v")
  func errors() async throws {
    let result = try await run(
      """
      hive read imu -v; echo "status $?"
      "$BLECTL" read Piano climate --simulate; echo "status $?"
      """)
    #expect(result.lines == ["status 1", "status 4"])
    #expect(result.errorText.contains("blectl: cannot read imu of "), "\(result.errorText)")
    #expect(result.errorText.contains("cause: imu is b33f0003-6869-4765-8f01-5ca1ab1e0001\n"))
    #expect(
      result.errorText.contains("blectl: cannot find climate on Piano: no such characteristic"))
  }

  @Test("The beginning of a UUID of a service or a descriptor is recognised as that of one")
  func otherKinds() async throws {
    let result = try await run(
      """
      hive read b33f0001; echo "status $?"
      hive read b33f0001-6869; echo "status $?"
      hive read b33f00d1; echo "status $?"
      """)
    #expect(result.lines == ["status 4", "status 4", "status 4"])
    let errors = result.errorText.split(separator: "\n").filter { $0.hasPrefix("blectl: cannot find b33f00") }
    #expect(
      errors.map { $0.hasSuffix(": it is a service") } == [true, true, false], "\(result.errorText)")
    #expect(errors.last?.contains(": it is a descriptor of b33f0004-") == true, "\(result.errorText)")
  }

  @Test("Too few digits of a long UUID are refused with the number that is enough")
  func fewDigits() async throws {
    let result = try await run(
      """
      hive read b33f; echo "status $?"
      hive read b33f000; echo "status $?"
      """)
    #expect(result.lines == ["status 4", "status 64"])
    #expect(
      result.errorText.contains("hint: write the first eight digits of a long UUID: b33f0002, …; "),
      "\(result.errorText)")
    #expect(
      result.errorText.contains("'b33f000' is not a UUID; of a long one, write "), "\(result.errorText)")
  }

  @Test("A file in the place of a characteristic is recognised as one", arguments: ["read", "subscribe"])
  func file(_ command: String) async throws {
    let result = try await run(
      """
      : >board.json
      hive \(command) board.json; echo "status $?"
      hive \(command) ./board.json; echo "status $?"
      """)
    #expect(result.lines == ["status 64", "status 64"])
    #expect(result.errorText.contains("'board.json' is a file; a characteristic is "), "\(result.errorText)")
    #expect(
      result.errorText.contains("'./board.json' is a file; a characteristic is "), "\(result.errorText)")
  }

  @Test("The errors of expect and serial, and a chart in a file, call a characteristic as the profile does")
  func titles() async throws {
    let result = try await run(
      """
      printf 'expect imu.ax > 300 --within 100ms\\n' | hive run -; echo "status $?"
      hive serial --rx config --tx label </dev/null; echo "status $?"
      hive subscribe climate --count 1 --plot-svg a.svg >/dev/null; grep -c '>Linden, climate: from ' a.svg
      """)
    #expect(result.lines == ["status 1", "status 1", "2"], "\(result.errorText)")
    #expect(result.errorText.contains(" from imu within 100ms: "), "\(result.errorText)")
    #expect(result.errorText.contains("blectl: cannot use label of "), "\(result.errorText)")
  }

  @Test("A script writes fields, and expects them, over one connection")
  func script() async throws {
    let result = try await run(
      """
      hive run - <<'END'
      write config rate=100 mode=fast trim=2.5
      expect config.mode = fast --read
      expect config trim_kg = 2.5 --read
      write clock 'time=2026-07-23 06:00:00 zone=60'
      expect clock zone = 60 --read
      write label text=Orchard
      let NAME read label --as utf8
      expect label utf8 = $NAME --read
      expect imu.ax > 3
      expect state season = autumn
      expect visits bees = 70000
      expect sound bands > 70
      expect climate [0..2] i16 < 0
      read config --as auto
      END
      echo "status $?"
      hive write config rate=100 mode=quick trim=0; echo "status $?"
      printf 'expect imu.aw > 3\\n' | hive run -; echo "status $?"
      """)
    #expect(
      result.lines == ["rate 100, mode fast, trim 2.5 kg\t64000105", "status 0", "status 64", "status 64"],
      "\(result.errorText)")
    #expect(result.errorText.contains("'quick' is none of: slow, fast, off (mode)"))
    #expect(
      result.errorText.contains(
        "'aw' is not a field of imu; its fields are ax_m_per_s2"))
  }

  @Test("Fields reach the records, the logs and the chart")
  func logs() async throws {
    let result = try await run(
      """
      hive subscribe climate state --count 4 --json --log a.csv --log a.sqlite --log influx:a.lp --plot-svg a.svg >out
      echo "status $?"; head -1 a.csv | tr -d '\\r' | cut -d, -f12-
      grep -c '"decoded":{"temperature_celsius":' out
      grep value, a.csv | tr -d '\\r' | cut -d, -f12- | LC_ALL=C sort -u | head -4
      python3 -c "import sqlite3
      print(sqlite3.connect('a.sqlite').execute('select count(*) from log where decoded like \\'%battery_percent%\\'').fetchone()[0])"
      grep -o ' temperature_celsius=.* ' a.lp | head -1
      grep -c temperature_celsius a.svg
      """)
    let lines = result.lines
    try #require(lines.count == 10, "\(result.text) \(result.errorText)")
    #expect(lines[0] == "status 0")
    #expect(
      lines[1]
        == "temperature_celsius,humidity_percent,pressure_pa,lid_open,alarm,season,battery_percent,name")
    #expect(lines[2] == "2")
    #expect(
      Array(lines[3..<7]) == [
        ",,,false,false,autumn,96,Linden", ",,,true,false,summer,97,Linden",
        "34.50,56.0,101325.0,,,,,Linden", "34.62,56.5,101324.0,,,,,Linden",
      ])
    #expect(lines[7] == "2")
    #expect(lines[8] == " temperature_celsius=34.50,humidity_percent=56.0,pressure_pa=101325.0 ")
    #expect(lines[9] != "0")
  }

  @Test("The peripheral's side shows what a central writes as fields")
  func served() async throws {
    let result = try await run(
      """
      "$BLECTL" serve $WORLD --simulate --json -- sh -c '"$BLECTL" write "Hive Scale" config rate=7 mode=off trim=0 -q' 2>out
      echo "status $?"; grep -o '"value":"0700.*' out
      """)
    #expect(
      result.lines == [
        "status 0", #""value":"07000200","decoded":{"rate":7,"mode":"off","trim_kg":0.0}}"#,
      ], "\(result.errorText)")
  }
}
