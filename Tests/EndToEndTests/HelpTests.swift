// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Help")
struct HelpTests {
  private static let commands = [
    "scan", "devices", "info", "connect", "disconnect", "services", "read", "write", "subscribe", "adapter",
    "simulate", "snapshot", "uuid", "decode", "doctor", "monitor",
  ]

  @Test("Every command's help is as it was approved", arguments: commands)
  func commandHelp(_ command: String) async throws {
    let result = try await Blectl().run(command, "--help", environment: ["COLUMNS": "80"])
    #expect(result.status == 0)
    #expect(result.errorText.isEmpty)
    try Snapshot.expect(result.text, "help-\(command)")
  }

  @Test("Without a command, and with --help, the commonest tasks are shown", arguments: [[], ["--help"]])
  func rootHelp(_ arguments: [String]) async throws {
    let result = try await Blectl().start(arguments, environment: ["COLUMNS": "80"]).result()
    #expect(result.status == 0)
    try Snapshot.expect(result.text, "help")
  }

  @Test("The version is one line on stdout")
  func version() async throws {
    let result = try await Blectl().run("--version")
    #expect(result.status == 0)
    #expect(result.lines.count == 1 && result.text.hasPrefix("blectl "))
  }

  @Test(
    "A wrong command line ends with status 64, says why on stderr, and prints nothing",
    arguments: [
      (["scam"], "scam"), (["read", "Piano"], "characteristics"),
      (["read", "Piano", "xyz"], "'xyz' is not a UUID"),
      (["read", "Piano", "2a19", "--as", "u7"], "'u7' is not a format"),
      (["read", "Piano", "2a19", "--count", "2"], "--every"),
      (["write", "Piano", "ffe3"], "VALUE"), (["write", "Piano", "ffe3", "abc"], "odd number"),
      (["write", "Piano", "ffe3", "u8:256"], "u8"),
      (["write", "Piano", "ffe3", "@/nonexistent"], "/nonexistent"),
      (["write", "Piano", "ffe3", "01", "--from", "-"], "--from"),
      (["scan", "--rssi", "40"], "-127"), (["scan", "--duration", "soon"], "'soon' is not a duration"),
      (["scan", "--address", "12:34"], "'12:34' is not a Bluetooth address"),
      (["scan", "--manufacturer", "xyz"], "company identifier"),
      (["scan", "--service", "heart"], "not a UUID"),
      (["subscribe", "Piano", "ffe2", "--count", "0"], "--count"),
      (["subscribe", "Piano", "ffe2", "--via", "pigeon"], "'pigeon'"),
      (["devices", "--simulate", "--bus", "unix:path=/x"], "--simulate"),
      (["adapter", "explode"], "explode"),
      (["connect", ""], "names no device"),
      (["monitor", "--event", "party"], "'party' is not a kind of event"),
      (["monitor", "--jobs", "2"], "--exec"), (["monitor", "--exec", "x", "--jobs", "0"], "--jobs"),
    ])
  func usageErrors(_ arguments: [String], _ words: String) async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").start(arguments).result()
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
    #expect(result.errorText.hasPrefix("blectl: "))
    #expect(result.errorText.contains(words), "\(result.errorText)")
  }
}
