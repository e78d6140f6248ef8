// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@Suite("Help")
struct HelpTests {
  static let commands = [
    "scan", "devices", "info", "connect", "disconnect", "services", "read", "write", "subscribe", "listen",
    "send", "receive", "run",
    "shell", "pair", "unpair", "trust", "untrust", "block", "unblock", "agent", "advertise", "adapter",
    "simulate", "serial", "serve", "proxy", "snapshot", "uuid", "decode", "doctor", "bench", "link",
    "monitor",
    "profile", "update", "smp", "firmware",
    "help",
  ]

  @Test("Every command's help equals the approved one", arguments: commands)
  func commandHelp(_ command: String) async throws {
    let result = try await Blectl().run(command, "--help", environment: ["COLUMNS": "80"])
    #expect(result.status == 0)
    #expect(result.errorText.isEmpty)
    try Snapshot.expect(result.text, "help", command)
  }

  @Test("Without a command, the commonest tasks are shown; with help, all commands and topics")
  func rootHelp() async throws {
    let welcome = try await Blectl().run()
    #expect(welcome.status == 0)
    try Snapshot.expect(welcome.text, "help", "welcome")
    for (arguments, name) in [(["--help"], "--help"), (["help"], "short"), (["-h"], "short")] {
      let result = try await Blectl().start(arguments, environment: ["COLUMNS": "80"]).result()
      #expect(result.status == 0)
      try Snapshot.expect(result.text, "help", name)
    }
  }

  @Test("The list of commands fits a screen: 60 lines of at most 80 columns, each command on one of them")
  func oneScreen() async throws {
    let result = try await Blectl().run("help")
    #expect(result.lines.count <= 60, "\(result.lines.count)")
    for line in result.lines { #expect(line.count <= 80, "\(line)") }
    for command in Self.commands where command != "help" {
      #expect(result.lines.contains { $0.hasPrefix("  \(command)") }, "\(command)")
    }
  }

  @Test("With -h, a command has the first sentence about each of its options only")
  func shortHelp() async throws {
    let (short, long) = (try await Blectl().run("listen", "-h"), try await Blectl().run("listen", "--help"))
    #expect(short.status == 0 && short.lines.count < long.lines.count * 5 / 6)
    func options(_ lines: [String]) -> [Substring] {
      lines.filter { $0.hasPrefix("  -") }.map { $0.dropFirst(2).prefix { $0 != " " } }
    }
    #expect(options(short.lines) == options(long.lines))
    try Snapshot.expect(short.text, "help", "listen -h")
  }

  @Test("The options of all commands are in the help of the tool only, and no line is longer than 80 columns")
  func commonParts() async throws {
    let shared = ["ENVIRONMENT:", "EXIT STATUS:", "OPTIONS OF EVERY COMMAND:"]
    let root = try await Blectl().run("--help", environment: ["COLUMNS": "80"])
    #expect(shared.allSatisfy(root.lines.contains))
    let welcome = try await Blectl().run()
    var pages = [root.lines, welcome.lines]
    for command in Self.commands where command != "help" {
      let page = try await Blectl().run(command, "--help", environment: ["COLUMNS": "80"])
      #expect(!shared.contains { page.lines.contains($0) }, "\(command)")
      #expect(
        page.lines.suffix(2).joined(separator: " ").hasSuffix("for every command: see 'blectl --help'."))
      pages.append(page.lines)
    }
    for line in pages.joined() { #expect(line.count <= 80, "\(line)") }
  }

  @Test("The help of the shell fits a terminal of 80 columns")
  func shellHelp() async throws {
    let help = try await Blectl().run("shell", "--simulate", input: Array("help\n".utf8))
    #expect(help.lines.count > 20)
    for line in help.lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test("The name of a number is readable on a terminal of 80 columns")
  func narrowNumbers() async throws {
    for (word, name) in [
      ("heart-rate", "Heart Rate Control Point"), ("nordic", "Nordic UART Service"),
      ("temperature", "Temperature Measurement"),
    ] {
      let result = try await Blectl().onTerminal(["uuid", word, "--color", "never"])
      #expect(result.text.contains(name), "\(result.text)")
      for line in result.text.split(whereSeparator: \.isNewline) { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test("Blectl help COMMAND is blectl COMMAND --help")
  func helpOnCommands() async throws {
    for command in ["read", "notify", "simulate"] {
      let help = try await Blectl().run("help", command, environment: ["COLUMNS": "80"])
      let option = try await Blectl().run(command, "--help", environment: ["COLUMNS": "80"])
      #expect(help.status == 0 && help.text == option.text)
    }
  }

  @Test(
    "The topics are laid out for a terminal",
    arguments: [
      "json", "exit-status", "formats", "values", "faults", "world", "logging", "scripts", "serving", "keys",
      "profiles", "page", "updates",
    ])
  func topics(_ topic: String) async throws {
    let result = try await Blectl().run("help", topic)
    #expect(result.status == 0 && result.errorText.isEmpty)
    // What a page says is its own matter.
    let beginning = result.text.split(separator: "\n", omittingEmptySubsequences: false).prefix(24)
    try Snapshot.expect(beginning.joined(separator: "\n") + "\n", "topics", topic)
  }

  @Test(
    "A misspelt word is guessed",
    arguments: [
      (["scam"], "did you mean scan?"), (["serach"], "'scan' shows the devices nearby"),
      (["subscirbe", "Piano", "ffe2"], "did you mean subscribe?"),
      (["help", "jsno"], "did you mean json?"), (["help", "raed"], "did you mean read?"),
      (["devices", "--conected"], "did you mean --connected?"),
      (["devices", "--jsno"], "did you mean --json?"),
      (["devices", "--color", "alwasy"], "did you mean always?"),
      (["adapter", "lits"], "did you mean list?"),
      (["read", "Piano", "2a19", "--as", "u18"], "did you mean u8, or u16?"),
      (["read", "Piano", "battery-levle"], "did you mean battery-level?"),
      (["scan", "--service", "hart-rate"], "did you mean heart-rate"),
      (
        ["read", "Piano", "2a19", "--descriptor", "characteristic-user-desription"],
        "characteristic-user-description"
      ),
      (["monitor", "--event", "conected"], "did you mean connected?"),
      (["uuid", "x", "--kind", "compny"], "did you mean company?"),
    ])
  func guesses(_ arguments: [String], _ guess: String) async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").start(arguments).result()
    #expect(result.status == 64)
    #expect(result.errorText.contains(guess), "\(result.errorText)")
  }

  @Test(
    "A word that resembles nothing is not guessed",
    arguments: [["frobnicate"], ["connect", "Piano", "--via", "x"]])
  func noGuess(_ arguments: [String]) async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").start(arguments).result()
    #expect(result.status == 64)
    #expect(!result.errorText.contains("did you mean"), "\(result.errorText)")
  }

  @Test("Names of devices that are misspelt are guessed from what was heard")
  func deviceGuesses() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", "Thermometer", "-q").status == 0)  // so that BlueZ knows it
      let heard = try await blectl.run("read", "Tnermometer", "2a6e", "--timeout", "4s")
      #expect(
        heard.status == 4 && heard.errorText.contains("; did you mean Thermometer?\n"), "\(heard.errorText)")
      let known = try await blectl.run("disconnect", "termometer2")
      #expect(
        known.status == 4 && known.errorText.contains("; did you mean Thermometer?\n"), "\(known.errorText)")
    }
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
      (["scan", "--manufacturer", "qqqq"], "company identifier"),
      (["scan", "--service", "heart"], "not a UUID"),
      (["subscribe", "Piano", "ffe2", "--count", "0"], "--count"),
      (["subscribe", "Piano", "ffe2", "--via", "pigeon"], "'pigeon'"),
      (["devices", "--simulate", "--bus", "unix:path=/x"], "--simulate"),
      (["adapter", "explode"], "explode"),
      (["connect", ""], "'' does not name a device"),
      (["connect", "FO:F1:F2:F3:F4:F5"], "'FO:F1:F2:F3:F4:F5' is not a Bluetooth address"),
      (["monitor", "--event", "party"], "unknown event 'party'"),
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
