// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `run` on many devices, and what it leaves behind for other programs.
@Suite("Run: devices under test and records")
struct RunReportTests {
  /// Devices that answer 01 with a1; the 7th answers ff.
  private static let bench: String = {
    let devices = (0..<20).map { index in
      let digits = String(index + 0x100, radix: 16).suffix(2).uppercased()
      return """
        {"address": "C0:00:00:00:01:\(digits)", "name": "DUT \(index)", "services": [{"uuid": "ffe0",
          "characteristics": [{"uuid": "ffe2", "properties": ["notify"]},
            {"uuid": "ffe3", "properties": ["write"], "on_write": {"answers": [
              {"request": "01", "response": "\(index == 7 ? "ff" : "a1")", "from": "ffe2"}]}}]}]}
        """
    }
    return "{\"peripherals\": [\(devices.joined(separator: ",\n"))]}"
  }()

  private static let script = "subscribe ffe2\nwrite ffe3 01\nexpect ffe2 a1 --within 10s\n"

  @Test("Exactly the faulty one of twenty devices fails, and the report says so")
  func devicesUnderTest() async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.bench, to: "bench.json")
      try folder.write(Self.script, to: "dut.ble")
      let result = try await folder.run(
        "blectl run 'DUT *' dut.ble --all --jobs 4 --junit report.xml --simulate=bench.json")
      #expect(result.status == 1)
      #expect(result.lines.count == 20)
      #expect(Set(result.lines.map { $0.prefix(17) }).count == 20)
      #expect(result.lines.filter { $0.hasSuffix("\tff") }.map { $0.prefix(17) } == ["C0:00:00:00:01:07"])
      let errors = result.errorText.split(separator: "\n").map(String.init)
      #expect(
        errors.suffix(2) == [
          "blectl: cannot complete the script on 1 of 20 devices",
          "  DUT 7 (C0:00:00:00:01:07): dut.ble:3: cannot get a1 from ffe2 within 10s: the value was ff",
        ])
      let report = try #require(RecordedFile.read("\(folder.path)/report.xml"))
      #expect(report.contains(#"<testsuites name="dut.ble" tests="60" failures="1" errors="0""#))
      #expect(report.split(separator: "\n").count { $0.contains("<testsuite name=") } == 20)
      #expect(report.contains(#"<testsuite name="DUT 7 (C0:00:00:00:01:07)""#), "\(report)")
    }
  }

  @Test("A record can be checked again, and a change of the script shows")
  func records() async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.bench, to: "bench.json")
      try folder.write(Self.script, to: "dut.ble")
      let made = try await folder.run(
        "blectl run 'DUT 3' dut.ble --record a.ndjson --simulate=bench.json")
      #expect(made.status == 0, "\(made.errorText)")
      let record = try #require(RecordedFile.read("\(folder.path)/a.ndjson"))
      let events = record.split(separator: "\n").compactMap {
        $0.split(separator: "\"").dropFirst(2).first.map(String.init)
      }
      #expect(events.count == 4, "\(record)")
      #expect(record.contains(#""event":"written""#) && record.contains(#""value":"a1""#))

      let checked = try await folder.run("blectl run 'DUT 3' dut.ble --check-only a.ndjson")
      #expect(checked.status == 0, "\(checked.errorText)")
      try folder.write(Self.script.replacing("a1", with: "a2"), to: "other.ble")
      let other = try await folder.run("blectl run 'DUT 3' other.ble --check-only a.ndjson")
      #expect(other.status == 1)
      #expect(
        other.errorText.hasPrefix(
          "blectl: other.ble:3: cannot get a2 from ffe2: the record has no such value; the last other value is a1"
        ))
      try folder.write(Self.script.replacing("01", with: "02"), to: "write.ble")
      let write = try await folder.run("blectl run 'DUT 3' write.ble --check-only a.ndjson")
      #expect(write.errorText.contains("cannot write 02 to ffe3: the record has 01 there"))
      let absent = try await folder.run("blectl run 'DUT 4' dut.ble --check-only a.ndjson")
      #expect(absent.status == 4)
      let again = try await folder.run("blectl run 'DUT 3' dut.ble --record a.ndjson --simulate=bench.json")
      #expect(again.status == 64)
      #expect(
        again.errorText == "blectl: cannot record to a.ndjson: it exists\nhint: give --record another name\n")
    }
  }

  @Test(
    "A report is that of this run: an old one is gone if the script has a mistake, or is replaced by what is known"
  )
  func oldReport() async throws {
    try await ToolFolder.with { folder in
      func report(_ command: String) async throws -> (status: Int32?, text: String?) {
        try folder.write("<testsuites tests=\"60\" failures=\"0\" errors=\"0\"/>\n", to: "report.xml")
        let result = try await folder.run("\(command) --junit report.xml --simulate --timeout 3s")
        return (result.status, RecordedFile.read("\(folder.path)/report.xml"))
      }
      let mistake = try await report("echo raed 2a26 | blectl run 'Heart Strap'")
      #expect(mistake.status == 64 && mistake.text == nil)
      let absent = try await report("echo read 2a26 | blectl run 'XX *' --all")
      #expect(absent.status == 4)
      #expect(absent.text?.contains(#"tests="2" failures="0" errors="1""#) == true, "\(absent.text ?? "")")
    }
  }

  @Test("A signal ends a run with the reports of what was done", arguments: [2, 15])
  func interrupted(_ signal: Int32) async throws {
    try await withSimulator { simulated in
      let result = try await Blectl.runScript(
        """
        printf 'read 2a19\\nsubscribe 2a37\\nsleep 1h\\nread 2a24\\n' >long.ble
        $BLECTL run 'Heart Strap' long.ble --junit report.xml --tap >out & P=$!
        until [ $(grep -c '^#' out) -gt 2 ]; do sleep 0.05; done
        end \(signal) $P; cat report.xml; head -n 1 out; grep -v '^#' out
        """, bus: simulated.address)
      #expect(result.lines.prefix(2) == ["status \(128 + signal)", "in time"])
      #expect(
        result.text.contains(#"<testsuites name="long.ble" tests="4" failures="0" errors="1""#),
        "\(result.text)")
      #expect(result.text.contains(#"<testsuite name="Heart Strap" "#), "\(result.text)")
      #expect(result.text.contains(#"<property name="address" value="F0:F1:F2:F3:F4:F5"/>"#))
      #expect(result.text.contains(#"<error message="the run was ended from outside""#))
      #expect(result.text.contains(#"skipped="1""#))
      let tap = Array(result.lines.drop { $0 != "TAP version 13" })
      #expect(
        tap.prefix(3) == [
          "TAP version 13", "TAP version 13", "ok 1 - Heart Strap long.ble:1: read 2a19",
        ])
      #expect(tap.contains("not ok 3 - Heart Strap long.ble:3: sleep 1h") && tap.last == "1..4")
    }
  }

  @Test("Closed output ends a run with a report of the step that was under way, and no other")
  func closedOutput() async throws {
    try await ToolFolder.with { folder in
      try folder.write("read 2a24\nread 2a19\n", to: "a.ble")
      // The reader is gone before the run begins.
      let result = try await folder.run(
        "mkfifo go; { read <go; blectl run 'Heart Strap' a.ble --junit report.xml --simulate; } | "
          + "{ exec <&-; echo >go; }; cat report.xml")
      #expect(result.text.contains(#"tests="2" failures="0" errors="1""#), "\(result.text)")
      #expect(result.text.contains(#"skipped="1""#), "\(result.text)")
      #expect(!result.text.contains(#"name="end""#), "\(result.text)")
    }
  }

  /// A device whose characteristic ffe2 echoes what is written to it, and can be read.
  private static let echo = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Echo", "services": [{"uuid": "ffe0", "characteristics": [
      {"uuid": "ffe2", "properties": ["read", "write", "notify"], "value": "00", "on_write": {"echo": "ffe2"},
       "descriptors": [{"uuid": "2901", "value": "41", "writable": true}]},
      {"uuid": "ffe3", "properties": ["read", "write"], "value": "07"}]}]}]}
    """

  @Test(
    "A script that is checked against its own record passes",
    arguments: [
      "write ffe3 01", "let X read ffe2 --descriptor 2901\nwrite ffe3 $X\nread ffe2 --descriptor 2901",
      "write ffe2 4243 --descriptor 2901\nread ffe3",
      "subscribe ffe2\nsubscribe ffe2 --as hex\nwrite ffe2 aa\nexpect ffe2 aa\nwrite ffe2 bb\nexpect ffe2 bb",
      "write ffe2 aa --reply ffe2\nread ffe3",
      "subscribe ffe2\nwrite ffe2 aa\nwrite ffe2 bb\nread ffe3\nexpect ffe2 bb",
    ])
  func ownRecord(_ script: String) async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.echo, to: "echo.json")
      try folder.write(script + "\n", to: "a.ble")
      let made = try await folder.run("blectl run Echo a.ble --record a.ndjson --simulate=echo.json >out")
      #expect(made.status == 0, "\(made.errorText)")
      let checked = try await folder.run("blectl run Echo a.ble --check-only a.ndjson")
      #expect(checked.status == 0, "\(checked.errorText)")
      let record = try #require(RecordedFile.read("\(folder.path)/a.ndjson"))
      let values = record.split(separator: "\n").filter { $0.contains(#""via":"signal""#) }
      #expect(
        Set(values.compactMap { $0.firstMatch(of: /"value":"(.*?)"/)?.1 }).count == values.count, "\(record)")
      #expect(!script.contains("write ffe2 4243") || record.contains(#""descriptor":"00002901-"#))
    }
  }

  @Test(
    "A script that does in another order what a record has fails the check",
    arguments: [
      ("write ffe3 01\nwrite ffe2 02\nread ffe3", "read ffe3\nwrite ffe2 02\nwrite ffe3 01", 2),
      (
        "write ffe2 aa\nexpect ffe2 aa\nwrite ffe2 bb\nexpect ffe2 bb",
        "expect ffe2 aa\nexpect ffe2 bb\nwrite ffe2 aa\nwrite ffe2 bb", 3
      ),
      ("read ffe2\nread ffe3", "read ffe3\nread ffe2", 2),
      ("read ffe2 --descriptor 2901", "read ffe2", 1), ("read ffe2", "read ffe2 --descriptor 2901", 1),
    ])
  func otherOrder(_ recorded: String, _ script: String, _ line: Int) async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.echo, to: "echo.json")
      try folder.write("subscribe ffe2\n\(recorded)\n", to: "a.ble")
      let made = try await folder.run("blectl run Echo a.ble --record a.ndjson --simulate=echo.json >out")
      #expect(made.status == 0, "\(made.errorText)")
      try folder.write(script + "\n", to: "b.ble")
      let checked = try await folder.run("blectl run Echo b.ble --check-only a.ndjson")
      #expect(checked.status == 1)
      #expect(checked.errorText.hasPrefix("blectl: b.ble:\(line): cannot "), "\(checked.errorText)")
    }
  }

  @Test("A record is a log that a simulated device can play again")
  func replay() async throws {
    try await ToolFolder.with { folder in
      try folder.write("subscribe 2a37\nexpect 2a37 heart_rate_bpm = 62\n", to: "heart.ble")
      let made = try await folder.run("blectl run 'Heart Strap' heart.ble --record a.ndjson --simulate")
      #expect(made.status == 0, "\(made.errorText)")
      try folder.write(
        """
        {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Copy", "services": [{"uuid": "180d",
          "characteristics": [{"uuid": "2a37", "properties": ["notify"], "notifies": {"replay": "a.ndjson"}}]}]}]}
        """, to: "copy.json")
      let played = try await folder.run("blectl run Copy heart.ble --simulate=copy.json")
      #expect(played.status == 0, "\(played.errorText)")
    }
  }

  @Test(
    "A line that is not a record is an error with its number",
    arguments: [
      ("", "cannot check a.ndjson: it contains no records"),
      (
        "{\"event\":\"value\",\"address\":\"C0:00:00:00:00:01\"}\n",
        "cannot check a.ndjson: line 1 is not a record of 'run --record'"
      ),
      ("{}\n", "cannot check a.ndjson: line 1 is not a record of 'run --record'"),
    ])
  func badRecords(_ text: String, _ expected: String) async throws {
    try await ToolFolder.with { folder in
      try folder.write(text, to: "a.ndjson")
      try folder.write(Self.script, to: "dut.ble")
      let result = try await folder.run("blectl run X dut.ble --check-only a.ndjson")
      #expect(result.status == 64)
      #expect(result.errorText == "blectl: \(expected)\n")
    }
  }
}

/// Every mistake is found before a device is looked for.
@Suite("Bad scripts")
struct BadScriptTests {
  @Test(
    "A mistake has its line, its column and a reason",
    arguments: [
      ("raed 2a19", "1:1: no such command 'raed'; did you mean read?"),
      ("wait 1s", "1:1: no such command 'wait'; did you mean sleep?"),
      ("scan", "1:1: 'scan' is no step: a script cannot use it"),
      ("serial", "1:1: 'serial' is no step: a script cannot use it"),
      ("read", "1:1: missing expected argument '<characteristics> ...'"),
      ("\n  read 2axx", "2:8: '2axx' is not a UUID or the name of a characteristic"),
      ("read 2a19 --as u9", "1:16: --as: 'u9' is not a format; did you mean u8?"),
      ("read 2a19 --every 1s --cuont", "1:22: unknown option '--cuont'; did you mean --count?"),
      ("write ffe3 f0f", "1:12: 'f0f' has an odd number of hexadecimal digits"),
      ("write ffe3 u8:256", "1:12: '256' does not fit u8, which holds 0 to 255"),
      ("write ffe3", "1:1: give either VALUE or --from FILE"),
      ("subscribe 2a37 --plot", "1:16: '--plot' needs the whole terminal; a line of a script cannot use it"),
      ("connect --stay", "1:9: '--stay' never ends; a line of a script cannot use it"),
      ("read 2a19 --bus x", "1:11: '--bus' is an option of the whole run; a line of a script cannot use it"),
      ("read --help", "1:6: '--help' prints help, and runs nothing"),
      ("sleep", "1:1: missing expected argument '<duration>'"),
      ("sleep soon", "1:7: 'soon' is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit"),
      ("sleep 0", "1:1: the duration must be more than 0"),
      ("expect ffe2", "1:1: missing expected argument '<pattern> ...'"),
      ("expect ffe2 9f5?4", "1:13: '9f5?4' has an odd number of digits; '??' is any byte"),
      (
        "expect 2a37 heart_rat > 4",
        "1:13: 'heart_rat' is not a field of 2a37; did you mean heart_rate_bpm?"
      ),
      (
        "expect ffe2 level > 4",
        "1:13: 'level' is not a format, and no fields of ffe2 are known; a profile names them: --profile FILE"
      ),
      ("expect 2a19 u8 > much", "1:18: 'much' is not a number"),
      ("expect 2a19 u8 9..3", "1:16: '9..3' is empty; the smaller number comes first"),
      ("expect 2a19 utf8 > 3", "1:13: 'utf8' has no order; use '=' or '!='"),
      ("expect 2a19 57 --wihtin 4s", "1:16: unknown option '--wihtin'; did you mean --within?"),
      ("expect 2a19 57 --count 0", "1:1: --count must be at least 1"),
      ("write ffe3 00$LAMP", "1:14: no variable 'LAMP'; use set LAMP VALUE, or --set LAMP=VALUE"),
      ("for X in 00..ff\n  write ffe3 u8:$X\nend", "2:14: 'ff' is not an integer"),
      ("repeat 3\nread 2a19", "1:1: 'repeat' without 'end'"),
      ("read 'a", "1:6: this quote is not closed"),
    ])
  func mistakes(_ script: String, _ expected: String) async throws {
    // No bus: it is not even looked for.
    let result = try await Blectl(bus: "unix:path=/nonexistent")
      .run("run", "Nobody", input: Array(script.utf8))
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
    #expect(result.errorText == "blectl: cannot run stdin:\(expected)\n")
  }

  @Test("All mistakes are reported together, in order")
  func several() async throws {
    let result = try await Blectl().run(
      "run", "Nobody", input: Array("repeat\nraed 2a19\nend\nwrite ffe3 0\n".utf8))
    #expect(
      result.errorText == """
        blectl: cannot run stdin: it has 3 mistakes
          stdin:1:1: 'repeat' needs one number, such as repeat 10
          stdin:2:1: no such command 'raed'; did you mean read?
          stdin:4:12: '0' has an odd number of hexadecimal digits

        """)
  }

  @Test(
    "A file that is not a script is an error",
    arguments: [
      ([UInt8](), "cannot run stdin: it contains no command"),
      (Array("# nothing\n".utf8), "cannot run stdin: it contains no command"),
      ([0xff, 0xfe, 0x0a], "cannot run stdin: it is not text"),
    ])
  func noScript(_ bytes: [UInt8], _ expected: String) async throws {
    let result = try await Blectl().run("run", "Nobody", input: bytes)
    #expect(result.status == 64)
    #expect(result.errorText == "blectl: \(expected)\n")
  }

  @Test("A file that is not there, and a variable that the script lacks, are errors")
  func arguments() async throws {
    let absent = try await Blectl().run("run", "Nobody", "/nonexistent.ble")
    #expect(absent.status == 64)
    #expect(absent.errorText == "blectl: cannot read /nonexistent.ble: No such file or directory\n")
    let unused = try await Blectl().run("run", "Nobody", "--set", "A=1", input: Array("read 2a19\n".utf8))
    #expect(unused.status == 64)
    #expect(unused.errorText == "blectl: cannot set A: stdin has no such variable\n")
  }
}
