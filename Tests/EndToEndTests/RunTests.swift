// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@Suite("Run")
struct RunTests {
  /// Runs a script from standard input on the built-in world.
  private func run(_ device: String, _ script: String, _ options: String...) async throws -> ToolResult {
    try await run(device, script, options)
  }

  private func run(_ device: String, _ script: String, _ options: [String]) async throws -> ToolResult {
    try await Blectl().start(["run", device, "--simulate"] + options, input: Array(script.utf8)).result()
  }

  private func errors(_ result: ToolResult) -> [String] {
    result.errorText.split(separator: "\n").map(String.init)
  }

  @Test("Commands print what they print on the command line, in order")
  func output() async throws {
    let result = try await run("Heart Strap", "read 2a19 --as u8\nread 2a29 2a24 --as utf8\ninfo\n")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.isEmpty)
    let info = try await Blectl().run("info", "Heart Strap", "--simulate").lines[0]
    #expect(result.lines.prefix(4) == ["87", "2a29\tExample Devices", "2a24\tHS-1", info[...].description])
  }

  @Test("--json holds for every step, and a step may have options of its own")
  func json() async throws {
    let result = try await run("Heart Strap", "read 2a19\nwrite 2a39 01\n", "--json")
    #expect(result.status == 0)
    #expect(result.lines.count == 2)
    #expect(result.lines[0].contains(#""value":"57""#) && result.lines[1].contains(#""event":"written""#))
    let mixed = try await run("Heart Strap", "read 2a19\nread 2a19 --json\n")
    #expect(mixed.lines[0] == "57" && mixed.lines[1].hasPrefix("{"))
  }

  @Test("Variables come from set, let, for and the command line, which wins")
  func variables() async throws {
    let script = """
      set WHAT 2a24
      let LEVEL read 2a19 --as u8
      let RAW read 2a19
      read $WHAT --as utf8
      expect 2a19 u8 = $LEVEL --read
      expect 2a19 $RAW --read
      for C in 2a19 2a38
        read $C
      end
      """
    #expect(try await run("Heart Strap", script).lines == ["HS-1", "57", "01"])
    let other = try await run("Heart Strap", script, "--set", "WHAT=2a29")
    #expect(other.lines == ["Example Devices", "57", "01"], "\(other.errorText)")
  }

  @Test("A script in the place of the device is recognised")
  func misplacedScript() async throws {
    try await TemporaryFile.with(Array("read 2a19\n".utf8), named: "a.ble") { file in
      let result = try await Blectl().run("run", file.path, "Heart Strap", "--simulate")
      #expect(result.status == 64)
      #expect(
        errors(result) == [
          "blectl: cannot run Heart Strap: no such file, but \(file.path) is one: the device comes first",
          "hint: blectl run 'Heart Strap' \(file.path) --simulate",
        ])
      let alone = try await Blectl().run("run", file.path, "--simulate")
      #expect(alone.status == 64)
      #expect(
        errors(alone) == [
          "blectl: cannot run stdin: it contains no command",
          "hint: blectl run DEVICE \(file.path) --simulate",
        ])
    }
  }

  @Test("The rest of a name in the place of the script is recognised")
  func nameWithoutQuotes() async throws {
    let result = try await Blectl().run("run", "Heart", "Strap", "--simulate")
    #expect(result.status == 64)
    #expect(
      errors(result) == [
        "blectl: cannot read Strap: No such file or directory",
        "hint: if it belongs to the name: blectl run 'Heart Strap' --simulate",
      ])
  }

  @Test(
    "On a terminal, a script alone in the place of the device is recognised, and one that is typed is announced"
  )
  func scriptOnTerminal() async throws {
    try await TemporaryFile.with(Array("read 2a19\n".utf8), named: "a.ble") { file in
      let result = try await Blectl().onTerminal(["run", file.path, "--simulate"])
      #expect(result.status == 64)
      // A long path breaks the line.
      let words = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("it is a file: the device comes first"), "\(result.text)")
    }
    try await ToolFolder.with { folder in
      let typed = try await folder.run(
        "printf 'read 2a24 --as utf8\\n\\004' | script -qec \"blectl run 'Heart Strap' --simulate\" /dev/null"
      )
      #expect(typed.text.contains("reading the script from the terminal; Ctrl-D ends it"), "\(typed.text)")
      #expect(typed.text.contains("HS-1"), "\(typed.text)")
    }
  }

  @Test("With --keep-going, every failure is counted among the steps, whatever failed")
  func counts() async throws {
    let script = "let N read 2a99\nset M $N\nread 2a19\n"
    let all = try await run("Heart Strap", script, "--keep-going")
    #expect(errors(all).contains("blectl: cannot complete stdin: 2 of 3 steps failed"), "\(all.errorText)")
  }

  @Test(
    "The first failure ends the script; with --keep-going all are reported, and the first decides the status")
  func failures() async throws {
    let script = "read 2a99\nexpect 2a19 00 --read\nread 2a19\n"
    let first = try await run("Heart Strap", script)
    #expect(first.status == 4)
    #expect(first.text.isEmpty)
    #expect(
      errors(first) == [
        "blectl: stdin:1: cannot find 2a99 on Heart Strap: no such characteristic", "  read 2a99",
        "hint: blectl services F0:F1:F2:F3:F4:F5",
      ])
    let all = try await run("Heart Strap", script, "--keep-going")
    #expect(all.status == 4)
    #expect(all.lines == ["57"])
    #expect(errors(all).contains("blectl: stdin:2: cannot get 00 from 2a19: the value was 57"))
    #expect(errors(all).contains("blectl: cannot complete stdin: 2 of 3 steps failed"))
  }

  @Test("A mistake in a line with a value of the device is found before anything is sent")
  func mistakesBehindLet() async throws {
    let script = """
      write 2a39 01
      let V read 2a24 --as utf8
      echoo $V
      printt $V
      expect 2a19 $V --reed
      expect 2a19 u8 1000..2000 --read
      expect 2a19 u8 = $V --read
      """
    let result = try await run("Heart Strap", script, "--json")
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
    #expect(
      errors(result) == [
        "blectl: cannot run stdin: it has 4 mistakes",
        "  stdin:3:1: no such command 'echoo'", "  stdin:4:1: no such command 'printt'; did you mean write?",
        "  stdin:5:16: unknown option '--reed'; did you mean --read?",
        "  stdin:6:1: '1000' does not fit u8, which holds 0 to 255",
      ])
  }

  @Test("A line that a device's value makes wrong is a failure of the step, not of the command line")
  func wrongValue() async throws {
    let result = try await run("Heart Strap", "let V read 2a24 --as utf8\nwrite 2a39 u8:$V\n")
    #expect(result.status == 1)
    #expect(errors(result)[0].hasPrefix("blectl: stdin:2: cannot run 'write': 'HS-1' is not an integer"))
  }

  @Test("With --keep-going, a value that could not be read fails each step that needs it, and the others run")
  func keepGoingWithoutValue() async throws {
    let script = """
      for C in 2a19 ffff
        let N read $C --as u8
        set M $N
        repeat $N
          sleep 1ms
        end
      end
      expect 2a19 u8 $M..100 --read
      read 2a19
      """
    let result = try await run("Heart Strap", script, "--keep-going")
    #expect(result.status == 4)
    #expect(result.lines == ["57"])
    let reasons = errors(result).filter { $0.hasPrefix("blectl: ") }
    #expect(reasons.count == 5, "\(reasons)")
    #expect(reasons[0].hasPrefix("blectl: stdin:2: cannot find ffff"))
    #expect(reasons[1] == "blectl: cannot continue at stdin:3:9: no variable 'N'")
    #expect(reasons[2] == "blectl: cannot continue at stdin:4:10: no variable 'N'")
    #expect(reasons[3].hasSuffix("no variable 'M'"))
    #expect(reasons[4].hasPrefix("blectl: cannot complete stdin: 4 of "))
  }

  @Test("A script may begin with a byte order mark")
  func byteOrderMark() async throws {
    let result = try await run("Heart Strap", "\u{feff}read 2a19\n")
    #expect(result.lines == ["57"] && result.status == 0)
  }

  @Test("More jobs than devices do no more work", .timeLimit(.minutes(1)))
  func manyJobs() async throws {
    let result = try await run("Heart*", "read 2a19\n", "--all", "--jobs", "9223372036854775807")
    #expect(result.status == 0 && result.lines == ["F0:F1:F2:F3:F4:F5\t57"])
  }

  @Test(
    "A device that accepts no connections has one reason and status, alone and among all",
    arguments: [[], ["--all"]])
  func beacon(options: [String]) async throws {
    let device = options.isEmpty ? "Garden" : "C5:EA:50:00:00:01 (Garden)"
    let result = try await run("Garden", "read 2a19\n", options)
    #expect(result.status == 1, "\(result.errorText)")
    #expect(
      result.errorText.contains("cannot connect to \(device): it accepts no connections"),
      "\(result.errorText)")
    #expect(
      result.errorText.contains("hint: blectl listen C5:EA:50:00:00:01 prints the values that it advertises"),
      "\(result.errorText)")
  }

  @Test("An expectation shows the last values that came instead")
  func unmet() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Echo", "services": [{"uuid": "ffe0",
        "characteristics": [{"uuid": "2a37", "properties": ["notify"]}, {"uuid": "2a19", "properties": ["read"]},
          {"uuid": "ffe3", "properties": ["write"], "on_write": {"echo": "2a37"}}]}]}]}
      """
    // The values read after the writes came after their echoes.
    let script = """
      subscribe 2a37
      for RATE in u8 60..62
        write ffe3 00$RATE
      end
      read 2a19
      expect 2a37 heart_rate_bpm > 100 --within 100ms
      """
    let result = try await TemporaryFile.with(Array(world.utf8), named: "world.json") { file in
      try await Blectl().run("run", "Echo", "--simulate=\(file.path)", input: Array(script.utf8))
    }
    #expect(result.status == 1)
    let lines = errors(result)
    #expect(
      lines.prefix(2) == [
        "blectl: stdin:6: cannot get heart_rate_bpm > 100 from 2a37 within 100ms: 3 other values came, the last heart_rate_bpm 62 (003e)",
        "  expect 2a37 heart_rate_bpm > 100 --within 100ms",
      ])
    let shown = lines.dropFirst(2).map { String($0.suffix(24)) }
    #expect(shown == ["heart_rate_bpm 60 (003c)", "heart_rate_bpm 61 (003d)", "heart_rate_bpm 62 (003e)"])
    let silent = try await run("Piano", "expect ffe2 ?? --within 100ms\n")
    #expect(errors(silent)[0] == "blectl: stdin:1: cannot get ?? from ffe2 within 100ms: no value came")
  }

  @Test("Unsubscribe ends some of the subscriptions, and the rest goes on")
  func unsubscribing() async throws {
    let result = try await run(
      "Thermometer",
      """
      subscribe 2a6e 2a1c
      expect 2a6e i16 2000..2500
      unsubscribe 2a6e
      expect 2a1c temperature_celsius 36..37 --count 2
      unsubscribe
      unsubscribe
      """)
    #expect(result.status == 0, "\(result.errorText)")
    let wrong = try await run("Thermometer", "subscribe 2a6e\nunsubscribe 2a1c\n")
    #expect(wrong.status == 1)
    #expect(errors(wrong)[0].hasSuffix("cannot unsubscribe from 2a1c: the script is not subscribed to it"))
  }

  @Test("--repeat runs the script again over the same link, until a failure")
  func repetitions() async throws {
    let result = try await run("Heart Strap", "read 2a19\n", "--repeat", "3")
    #expect(result.lines == ["57", "57", "57"])
    let failing = try await run("Heart Strap", "read 2a19\nexpect 2a19 00 --read\n", "--repeat", "3")
    #expect(failing.lines == ["57"] && failing.status == 1)
  }

  @Test("A TAP report has a point for each line, and the output as comments")
  func tap() async throws {
    let result = try await run(
      "Heart Strap", "read 2a19 # level\nexpect 2a19 00 --read\nread 2a24\n", "--tap", "--set", "A=1")
    #expect(result.status == 64)
    let report = try await run("Heart Strap", "read 2a19\nexpect 2a19 '00' --read # no\nread 2a24\n", "--tap")
    #expect(report.status == 1)
    #expect(
      report.lines == [
        "TAP version 13", "# 57", "ok 1 - Heart Strap stdin:1: read 2a19",
        "not ok 2 - Heart Strap stdin:2: expect 2a19 '00' --read \\# no", "  ---",
        "  message: 'stdin:2: cannot get 00 from 2a19: the value was 57'", "  details:",
        "    - 'expect 2a19 ''00'' --read # no'", "  ...",
        "ok 3 - Heart Strap stdin:3: read 2a24 # SKIP not reached", "1..3",
      ])
  }

  @Test("A device that is not there is an error of the report, and of the run")
  func absence() async throws {
    let result = try await run("Nobody", "read 2a19\n", "--tap", "--timeout", "3s")
    #expect(result.status == 4)
    #expect(result.lines[1] == "not ok 1 - Nobody stdin:connect" && result.lines.last == "1..2")
    #expect(errors(result)[0] == "blectl: cannot find Nobody: not found before the timeout")
  }

  @Test("Ctrl-C ends a script, its subscriptions and its link")
  func interrupt() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let run = try blectl.start(
        ["run", "Heart Strap", "-vv"], input: Array("subscribe 2a37\nsleep 1h\n".utf8))
      #expect(await run.waitForLines(1))
      run.send(signal: 2)
      let result = await run.result()
      #expect(result.signal == 2)
      #expect(result.errorText.contains("StopNotify") && result.errorText.contains("Disconnect"))
    }
  }

  @Test("A hundred steps cost one connection, and one call each")
  func calls() async throws {
    let result = try await run(
      "Heart Strap", "repeat 50\n  read 2a19\n  expect 2a19 57 --read\nend\n", "-vv")
    #expect(result.status == 0)
    let calls = errors(result).compactMap { line in
      line.firstRange(of: "→ call").map { _ in
        line.split(separator: "(").first?.split(separator: ".").last.map(String.init) ?? line
      }
    }
    let counts = Dictionary(calls.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(counts["Connect"] == 1 && counts["ReadValue"] == 100, "\(counts)")
    #expect(calls.count < 120, "\(counts)")
  }
}
