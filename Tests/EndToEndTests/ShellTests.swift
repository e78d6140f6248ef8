// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// The shell without a terminal: plain lines.
///
/// `Tests/System/Screens` has it on terminals.
@Suite("Shell")
struct ShellTests {
  private func shell(_ input: String, _ arguments: String...) async throws -> ToolResult {
    try await Blectl().start(["shell", "--simulate"] + arguments, input: Array(input.utf8)).result()
  }

  private func errors(_ result: ToolResult) -> [String] {
    result.errorText.split(separator: "\n").map(String.init)
  }

  @Test("Steps, loops and variables are those of scripts, over one link")
  func steps() async throws {
    let result = try await shell(
      """
      read 2a19 --as u8
      let LEVEL read 2a19
      expect 2a19 $LEVEL --read
      for C in 2a24 2a29
        read $C --as utf8
      end
      expect 2a37 heart_rate_bpm = 61
      """, "Heart Strap")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines == ["87", "HS-1", "Example Devices"])
    #expect(result.errorText.isEmpty)
  }

  @Test("A mistake or a failure is reported, and the next line runs")
  func failures() async throws {
    let result = try await shell(
      "raed 2a19\nread 2a99\nread 'a\nrepeat 2\nread 2a19 --as u9\nend\nexpect 2a19 00 --read\nsleep 0\nread 2a19\n",
      "Heart Strap")
    #expect(result.status == 64)
    #expect(result.lines == ["57"])
    #expect(
      errors(result).filter { $0.hasPrefix("blectl: ") } == [
        "blectl: cannot run 'raed': no such command 'raed'; did you mean read?",
        "blectl: cannot find 2a99 on Heart Strap: no such characteristic",
        "blectl: cannot run this: this quote is not closed",
        "blectl: cannot run 'read': --as: 'u9' is not a format; did you mean u8?",
        "blectl: cannot get 00 from 2a19: the value was 57",
        "blectl: cannot run 'sleep': the duration must be more than 0",
        "blectl: cannot complete the input: 6 of 9 lines failed",
      ])
  }

  @Test("Lines from a pipe end with the status of the first that failed")
  func status() async throws {
    #expect(try await shell("read 2a99\nexpect 2a19 00 --read\n", "Heart Strap").status == 4)
    #expect(try await shell("expect 2a19 00 --read\nread 2a99\nread 2a19\n", "Heart Strap").status == 1)
    #expect(try await shell("read 2a19\n", "Heart Strap").status == 0)
  }

  @Test("A loop that the input does not close is an error, and does not run")
  func unclosedLoop() async throws {
    let result = try await shell("read 2a19\nrepeat 2\nread 2a24\n", "Heart Strap")
    #expect(result.status == 64 && result.lines == ["57"])
    #expect(errors(result)[0] == "blectl: cannot run this: 'repeat' without 'end'")
  }

  @Test("Lines may end with a carriage return and a line feed")
  func carriageReturns() async throws {
    let result = try await shell("read 2a19\r\n\r\nquit\r\nread 2a24\r\n", "Heart Strap")
    #expect(result.status == 0 && result.lines == ["57"] && result.errorText.isEmpty)
  }

  @Test("Variables have their values in commands that are not about the device, too")
  func variables() async throws {
    let result = try await shell(
      "let X read 2a19\ndecode 2a19 $X\ndecode 2a19 $Y\nrepeat $Y\nread 2a24\nend\n", "Heart Strap")
    #expect(result.lines == ["87 %"], "\(result.errorText)")
    #expect(
      errors(result).prefix(2) == [
        "blectl: cannot run this: no variable 'Y'", "blectl: cannot run this: no variable 'Y'",
      ])
  }

  @Test("Without a device, scan finds one and use takes it")
  func devices() async throws {
    let result = try await shell(
      "read 2a19\nscan --name Piano --count 1\nuse Heart Strap\nread 2a19\nuse Thermometer\nread 2a6e\nuse Nobody --x\nquit\nread 2a19\n",
      "--timeout", "5s")
    #expect(result.status == 64)
    #expect(result.lines.count == 3 && result.lines[0].contains("Piano"))
    #expect(Array(result.lines.suffix(2)) == ["57", "6608"])
    #expect(
      Array(errors(result).prefix(2)) == [
        "blectl: cannot run this: no device is in use", "hint: use DEVICE; scan lists those nearby",
      ])
    #expect(errors(result).contains { $0.hasPrefix("blectl: cannot find Nobody --x") })
  }

  @Test("A device that is not there ends the shell before it begins")
  func absence() async throws {
    let result = try await shell("read 2a19\n", "Nobody", "--timeout", "3s")
    #expect(result.status == 4)
    #expect(result.text.isEmpty)
  }

  @Test("The typed lines that succeeded are a script for run")
  func saving() async throws {
    try await ToolFolder.with { folder in
      try folder.write(
        "read 2a19\nread 2a99\nrepeat 2\n  read 2a24 --as utf8\nend\n.save a.ble\n.save a.ble\n", to: "typed")
      let typed = try await folder.run("blectl shell Heart --simulate <typed")
      #expect(typed.errorText.contains("cannot save to a.ble: it exists"))
      let played = try await folder.run("blectl run Heart a.ble --simulate")
      #expect(played.status == 0, "\(played.errorText)")
      #expect(played.lines == typed.lines)
      #expect(played.lines == ["57", "HS-1", "HS-1"])
    }
  }

  @Test(
    "Every command that takes a DEVICE is a step, but doctor, run, serial, shell and update",
    arguments: HelpTests.commands)
  func declarations(_ command: String) async throws {
    if ["doctor", "run", "serial", "shell", "update"].contains(command) { return }
    let help = try await Blectl().run(command, "--help", environment: ["COLUMNS": "80"])
    let result = try await shell("help \(command)\n")
    let isStep = result.text.hasPrefix("Here, leave <device> out.")
    #expect(help.text.contains("\n  <device> ") == isStep)
  }

  @Test("Help lists every command, and explains one")
  func help() async throws {
    let result = try await shell("help\nhelp expect\nhelp raed\n")
    for word in ["read", "expect", "unsubscribe", "scan", ".save"] { #expect(result.text.contains(word)) }
    #expect(result.text.contains("Wait for a notification whose value matches."))
    #expect(
      errors(result) == [
        "blectl: cannot show help on 'raed': no such command", "hint: help",
        "blectl: cannot complete the input: 1 of 3 lines failed",
      ])
  }
}
