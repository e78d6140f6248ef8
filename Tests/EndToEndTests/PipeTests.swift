// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Signals and pipes", .timeLimit(.minutes(5)))
struct PipeTests {
  private static let strap = "F0:F1:F2:F3:F4:F5"

  @Test(
    "A reader that goes away ends the command quietly, as SIGPIPE would",
    arguments: [
      "scan --duration 0 --duplicates", "subscribe 'Heart Strap' 2a37", "subscribe 'Heart Strap' 2a37 --json",
    ])
  func headOne(_ command: String) async throws {
    try await withSimulator { simulated in
      let result = try await Blectl.runScript(
        "$BLECTL \(command) | head -1 >/dev/null; echo ${PIPESTATUS[0]}", bus: simulated.address)
      #expect(result.text == "141\n")
      #expect(result.errorText.isEmpty)
      try await expectQuiet(simulated)
    }
  }

  @Test(
    "Ctrl-C, SIGTERM and SIGHUP stop scanning and notifications, and close the link",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(_ signal: Int32) async throws {
    try await withSimulator { simulated in
      func end(_ arguments: String...) async throws {
        let running = try Blectl(bus: simulated.address).start(arguments)
        #expect(await running.waitForLines(1))
        running.send(signal: signal)
        let result = await running.result()
        #expect(result.signal == signal)
        #expect(result.errorText.isEmpty)
      }
      try await end("scan", "--duration", "0", "--duplicates")
      try await expectLinkEnds(simulated) { try await end("subscribe", "Heart Strap", "2a37") }
      try await expectQuiet(simulated)
    }
  }

  @Test(
    "A signal ends a scan, also while its reader is stalled",
    arguments: [
      ("scan --duplicates --duration 0 --json", SIGINT), ("scan --duplicates --duration 0", SIGTERM),
      ("monitor --scan --json", SIGINT),
    ])
  func stalledReader(_ command: String, _ signal: Int32) async throws {
    let crowd = World.crowd(devices: 1000, interval: .milliseconds(500))
    try await withSimulator(world: crowd) { simulated in
      let result = try await Blectl.runScript(
        """
        mkfifo pipe; sleep 60 <pipe & R=$!
        $BLECTL \(command) >pipe 2>errors & P=$!
        full pipe
        end \(signal) $P; kill $R; cat errors
        """, bus: simulated.address)
      #expect(result.lines.prefix(2) == ["status \(128 + signal)", "in time"])
      try await expectQuiet(simulated)
    }
  }

  /// Starts a command whose output nobody reads; a line of input ends it, and then the script, with what `end` prints.
  private func startUnread(_ command: String, _ simulated: SimulatedBus) throws -> ToolRun {
    try Blectl.startScript(
      """
      mkfifo pipe; exec 3<>pipe; fill pipe
      $BLECTL \(command) >&3 & P=$!
      read -r _; end INT $P
      """, bus: simulated.address)
  }

  @Test(
    "A reader that is stalled from the start does not keep a link from being opened, and opened again",
    arguments: [
      ("connect 'Heart Strap' --stay --json", Address.strap),
      ("serial Piano --rx ffe3 --tx ffe2 --pty --json", Address.piano),
      ("serial Piano --rx ffe3 --tx ffe2 --pty", Address.piano),
    ])
  func stalledReaderOfLinks(_ command: String, _ address: String) async throws {
    try await withSimulator { simulated in
      let monitor = try Blectl(bus: simulated.address).start([
        "monitor", "-v", "--json", "--address", address, "--duration", "30s",
      ])
      #expect(await monitor.waitForErrors { $0.contains("watching") })
      let running = try startUnread(command, simulated)
      #expect(await monitor.waitForOutput { $0.contains(#"services_resolved":true"#) })
      await simulated.simulator.dropLink(address)
      let isOpenAgain = await monitor.waitForOutput { $0.ranges(of: #"event":"connected""#).count == 2 }
      #expect(isOpenAgain)
      running.send(input: [0x0a])
      #expect(await running.result().lines == ["status 130", "in time"])
      try await expectQuiet(simulated)
    }
  }

  @Test("A reader that is stalled from the start does not keep an advertisement from coming back")
  func stalledReaderOfAdvertisement() async throws {
    try await withSimulator { simulated in
      let running = try startUnread("advertise --name Garden --json --duration 60s", simulated)
      #expect(await running.waitForErrors { $0.contains("advertising on hci0") })
      for action in ["off", "on"] {
        #expect(try await Blectl(bus: simulated.address).run("adapter", action).status == 0)
      }
      #expect(await running.waitForErrors { $0.contains("advertising again on hci0") })
      running.send(input: [0x0a])
      #expect(await running.result().lines == ["status 130", "in time"])
    }
  }

  @Test(
    "A signal ends a command that waits for its standard input",
    arguments: [
      ("decode 2a37 -", SIGINT), ("write 'Heart Strap' 2a39 - --simulate", SIGTERM),
      ("write 'Heart Strap' 2a39 --from - --simulate", SIGINT),
    ])
  func stalledInput(_ command: String, _ signal: Int32) async throws {
    let result = try await Blectl.runScript(
      """
      mkfifo pipe; sleep 60 >pipe & R=$!
      $BLECTL \(command) <pipe & P=$!
      taken pipe
      end \(signal) $P; kill $R
      """)
    #expect(result.lines == ["status \(128 + signal)", "in time"])
  }

  @Test("A terminal that is closed ends a command, and the link with it", arguments: ["-q", "--plot"])
  func closedTerminal(_ option: String) async throws {
    try await withSimulator { simulated in
      let script = """
        import os, pty, sys
        process, screen = pty.fork()
        if process == 0: os.execv(sys.argv[1], sys.argv[1:])
        shown = b""
        while b"bpm" not in shown: shown += os.read(screen, 65536)
        os.close(screen)
        print(os.WTERMSIG(os.waitpid(process, 0)[1]))
        """
      let arguments = [Blectl.path, "subscribe", "Heart Strap", "2a37", option]
      try await expectLinkEnds(simulated) {
        let result = try await ToolRun(
          "/usr/bin/env", ["python3", "-c", script] + arguments,
          environment: ["DBUS_SYSTEM_BUS_ADDRESS": simulated.address, "TERM": "xterm"]
        ).result()
        #expect(result.text == "\(SIGHUP)\n", "\(result.errorText)")
      }
      try await expectQuiet(simulated)
    }
  }

  @Test("SIGHUP ends nothing where it is ignored from the start, as nohup does it")
  func ignoredHangup() async throws {
    let result = try await Blectl.runScript(
      """
      trap '' HUP; mkfifo pipe
      $BLECTL subscribe 'Heart Strap' 2a37 --count 3 --simulate >pipe & P=$!
      exec 3<pipe; read -r _ <&3; kill -HUP $P
      wc -l <&3; wait $P; echo "status $?"
      """)
    #expect(result.lines == ["2", "status 0"], "\(result.errorText)")
  }

  @Test("SIGINT ends a command also where it was ignored from the start, as in the background of a script")
  func ignoredInterrupt() async throws {
    let result = try await Blectl.runScript(
      """
      trap '' INT; mkfifo pipe
      $BLECTL subscribe 'Heart Strap' 2a37 --simulate >pipe & P=$!
      exec 3<pipe; read -r _ <&3; kill -INT $P
      cat <&3 >/dev/null; wait $P; echo "status $?"
      """)
    #expect(result.lines == ["status 130"], "\(result.errorText)")
  }

  @Test(
    "A stream that is closed lends nothing else its number; without standard output, values are lost",
    arguments: [("<&-", 0), (">&-", 1), ("2>&-", 0), ("<&- >&- 2>&-", 1)])
  func closedStreams(_ closing: String, _ status: Int) async throws {
    let result = try await Blectl.runScript(
      """
      $BLECTL subscribe 'Heart Strap' 2a37 --count 2 --json --simulate --log a.ndjson >out 2>errors \(closing)
      echo "status $?"; grep -c '"value"' a.ndjson; grep -vc '^{.*}$' a.ndjson; cat errors
      """)
    let count = status == 0 ? "2" : result.lines.dropFirst().first ?? ""
    #expect(result.lines.prefix(3) == ["status \(status)", count, "0"], "\(result.text)")
    let isTold = result.lines.dropFirst(3).contains { $0.contains("cannot") }
    #expect(isTold == (closing == ">&-"), "\(result.text)")
  }

  @Test(
    "An output that cannot be written to is an error",
    arguments: [
      "adapter --simulate", "--help", "--version", "scan --help", "help json", "uuid 2a37", "",
      "--generate-completion-script bash", "read Heart 2a19 --simulate",
    ], [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
  func lostOutput(_ command: String, _ output: (redirection: String, reason: String)) async throws {
    let script = "\(Blectl.path) \(command) \(output.redirection)"
    let result = try await ToolRun("/bin/sh", ["-c", script]).result()
    #expect(result.status == 1)
    #expect(result.errorText == "blectl: cannot write the output: \(output.reason)\n")
  }

  @Test(
    "A terminal that cannot draw over a line gets lines as they come",
    arguments: [
      ("scan --count 2", 0, "found\t"), ("read Nobody 2a19 --timeout 500ms", 4, "looking for Nobody"),
    ])
  func dumbTerminal(_ command: String, _ status: Int32, _ expected: String) async throws {
    let words = command.split(separator: " ").map(String.init)
    let result = try await Blectl().onTerminal(words + ["--simulate"], environment: ["TERM": "dumb"])
    #expect(result.status == status)
    #expect(result.text.contains(expected), "\(result.text)")
    // The terminal itself puts a carriage return before each newline.
    let bare = result.text.replacing("\r\n", with: "\n")
    #expect(!bare.contains("\u{1b}") && !bare.contains("\r"), "\(bare.debugDescription)")
  }

  @Test("A scan that reaches its end is done, also without a device")
  func scanEnds() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("scan", "--name", "Nobody*", "--duration", "300ms").status == 0)
      #expect(try await blectl.run("scan", "--count", "2", "--duration", "60s").lines.count == 2)
      #expect(try await blectl.run("subscribe", "Heart Strap", "2a37", "--duration", "700ms").status == 0)
      try await expectQuiet(simulated)
    }
  }

  @Test("Connect --stay opens the link again, until Ctrl-C closes it")
  func stay() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(["connect", "Heart Strap", "--stay", "--json"])
      #expect(await running.waitForLines(1))
      await simulated.simulator.dropLink(Self.strap)
      #expect(await running.waitForLines(3))
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(try result.records.map { $0["event"]?.text } == ["connected", "disconnected", "reconnected"])
      try await expectQuiet(simulated)
    }
  }

  /// Checks that an action closes the link of the strap, which another process watches.
  private func expectLinkEnds(_ simulated: SimulatedBus, _ body: () async throws -> Void) async throws {
    let monitor = try Blectl(bus: simulated.address).start(
      ["monitor", "-v", "--event", "disconnected", "--count", "1", "--duration", "30s"])
    #expect(await monitor.waitForErrors { $0.contains("watching") })
    try await body()
    #expect(await monitor.result().text.contains(Self.strap))
  }

  /// Nothing of ours goes on: no scan, no link.
  private func expectQuiet(_ simulated: SimulatedBus) async throws {
    // BlueZ ends a scan in its own time.
    var isDiscovering: Bool?
    repeat {
      let adapter = try await Blectl(bus: simulated.address).run("adapter", "show", "--json")
      isDiscovering = try adapter.records.first?["discovering"]?.flag
    } while isDiscovering == true
    #expect(isDiscovering == false)
    let disconnected = try await Blectl(bus: simulated.address).run("disconnect", Self.strap, "-q")
    #expect([0, 4].contains(disconnected.status))
    #expect(await !simulated.simulator.isConnected(Self.strap))
  }
}
