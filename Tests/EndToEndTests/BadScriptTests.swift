// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Every mistake is found before a device is looked for.
@Suite("Bad scripts")
struct BadScriptTests {
  @Test(
    "A mistake has its line, its column and a reason",
    arguments: [
      ("raed 2a19", "1:1: no such command 'raed'; did you mean read?"),
      ("scan", "1:1: 'scan' is not about a device; a script cannot use it"),
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
      ("sleep soon", "1:7: 'soon' is not a duration; use 500ms, 10s, 2m, 1h, or 0 for no limit"),
      ("sleep 0", "1:1: the duration must be more than 0"),
      ("expect ffe2", "1:1: missing expected argument '<pattern> ...'"),
      ("expect ffe2 9f5?4", "1:13: '9f5?4' has an odd number of digits; '??' is any byte"),
      (
        "expect 2a37 heart_rate > 4",
        "1:13: 'heart_rate' is not a field of 2a37; did you mean heart_rate_bpm?"
      ),
      (
        "expect ffe2 level > 4",
        "1:13: 'level' is not a format, and ffe2 is not a standard characteristic with fields"
      ),
      ("expect 2a19 u8 > much", "1:18: 'much' is not a number"),
      ("expect 2a19 u8 9..3", "1:16: '9..3' is empty; the smaller number comes first"),
      ("expect 2a19 utf8 > 3", "1:13: 'utf8' has no order; use '=' or '!='"),
      ("expect 2a19 57 --wihtin 4s", "1:16: unknown option '--wihtin'"),
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
    "What is no script is an error",
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
