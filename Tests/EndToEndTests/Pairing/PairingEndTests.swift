// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// However a pairing ends: no agent, no half-made bond and no link is left behind.
@Suite("Ends of a pairing")
struct PairingEndTests {
  /// Begins a pairing that asks a question, ends it, waits for the end of the link, and prints what is left.
  private func end(_ ending: String, arguments: String = #""pair", "Lamp""#) async throws -> [String] {
    let script = """
      tool = Program(\(arguments))
      print(tool.record()["event"], pairable())
      watch = subprocess.Popen(
          [TOOL, "monitor", "--event", "disconnected", "--count", "1", "-v"], stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, text=True)
      while "watching" not in watch.stderr.readline(): pass
      \(ending)
      print(tool.process.wait(), "lost" if "disconnected" in watch.stdout.read() else "")
      print(pairable(), repr(blectl("devices", "--paired")), repr(blectl("devices", "--connected")))
      """
    let result = try await PairingScript.run(PairingScript.world(PairingScript.shows), script)
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines
  }

  private static let nothing = "False '' ''"

  @Test(
    "A signal during a question ends it, and leaves no pairing",
    arguments: [("SIGINT", "-2"), ("SIGTERM", "-15"), ("SIGHUP", "-1"), ("SIGKILL", "-9")])
  func signal(_ name: String, _ status: String) async throws {
    let lines = try await end("tool.process.send_signal(signal.\(name))")
    #expect(lines == ["passkey-wanted True", "\(status) lost", Self.nothing])
  }

  @Test("Two signals end the process at once, and leave no pairing")
  func twoSignals() async throws {
    let lines = try await end(
      "tool.process.send_signal(signal.SIGINT); tool.process.send_signal(signal.SIGTERM)")
    #expect(lines.last == Self.nothing)
    #expect(lines.dropFirst().first?.hasSuffix("lost") == true)
  }

  @Test("A refusal ends the question, and leaves no pairing")
  func refusal() async throws {
    let lines = try await end(#"tool.answer("no")"#)
    #expect(lines == ["passkey-wanted True", "1 lost", Self.nothing])
  }

  @Test("The end of standard input ends the question, and leaves no pairing")
  func endOfInput() async throws {
    let lines = try await end("tool.process.stdin.close()")
    #expect(lines == ["passkey-wanted True", "1 lost", Self.nothing])
  }

  @Test("A reader that closes the records leaves no pairing")
  func closedPipe() async throws {
    let lines = try await end("tool.process.stdout.close(); tool.answer('042017x'); tool.answer('no')")
    #expect(lines.last == Self.nothing)
  }

  @Test("A wrong answer fails, and leaves no pairing")
  func wrong() async throws {
    let lines = try await end(#"tool.answer("1")"#)
    #expect(lines == ["passkey-wanted True", "1 lost", Self.nothing])
  }

  @Test(
    "A question for a passkey that BlueZ began by itself is answered before the agent leaves: bluetoothd lives on",
    arguments: ["SIGINT", "SIGTERM", "SIGHUP"], [1, 2])
  func agentLeaves(_ name: String, _ count: Int) async throws {
    let script = """
      tool = Program("agent")
      # Its first words are that it is registered.
      while "answering" not in tool.process.stderr.readline(): pass
      reader = subprocess.Popen([TOOL, "read", "Lamp", "2a19", "--timeout", "30s"], stderr=subprocess.DEVNULL)
      print(tool.record()["event"])
      for _ in range(\(count)): tool.process.send_signal(signal.\(name))
      print(tool.process.wait() < 0)
      reader.terminate()
      reader.wait()
      print("hci0" in blectl("adapter"), pairable())
      """
    let result = try await PairingScript.run(PairingScript.world(PairingScript.shows), script)
    #expect(result.lines == ["passkey-wanted", "True", "True False"], "\(result.errorText)")
  }

  @Test("The loss of the bus leaves no pairing")
  func busLost() async throws {
    let script = """
      import pathlib
      address = os.environ["DBUS_SYSTEM_BUS_ADDRESS"]
      path = dict(part.split("=", 1) for part in address.removeprefix("unix:").split(","))["path"]
      # A bus between: a relay that can be cut.
      listener = socket.socket(socket.AF_UNIX)
      listener.bind("relay")
      listener.listen()
      pid = os.fork()
      if pid == 0:
          import select
          inner, _ = listener.accept()
          outer = socket.socket(socket.AF_UNIX)
          outer.connect(path)
          while True:
              for source, target in ((inner, outer), (outer, inner)):
                  if select.select([source], [], [], 0.01)[0]:
                      data, descriptors, _, _ = socket.recv_fds(source, 65536, 16)
                      if not data: os._exit(0)
                      socket.send_fds(target, [data], descriptors)
      tool = Program("pair", "Lamp", "--bus", "unix:path=" + os.getcwd() + "/relay")
      print(tool.record()["event"])
      watch = subprocess.Popen(
          [TOOL, "monitor", "--event", "disconnected", "--count", "1", "-v"], stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, text=True)
      while "watching" not in watch.stderr.readline(): pass
      os.kill(pid, signal.SIGKILL)
      print([record["event"] for record in map(json.loads, tool.process.stdout)], tool.process.wait())
      print("disconnected" in watch.stdout.read())
      print(pairable(), repr(blectl("devices", "--paired")), repr(blectl("devices", "--connected")))
      """
    let result = try await PairingScript.run(PairingScript.world(PairingScript.shows), script)
    #expect(
      result.lines == ["passkey-wanted", "['cancelled'] 3", "True", Self.nothing], "\(result.errorText)")
  }
}

@Suite("Pairing on demand")
struct PairingOnDemandTests {
  private func run(_ pairing: String, _ script: String) async throws -> ToolResult {
    try await PairingScript.run(PairingScript.world(pairing), script)
  }

  @Test(
    "With --pair, a value that needs encryption is read, written to the output, and subscribed to",
    arguments: [
      (#""read", "Lamp", "2a19""#, "57"), (#""services", "Lamp", "--read""#, "57"),
      (#""subscribe", "Lamp", "2a19", "--duration", "200ms""#, ""),
    ])
  func onDemand(_ arguments: String, _ value: String) async throws {
    let result = try await run(
      "",
      """
      print(blectl(\(arguments), "--pair", "--json"))
      print("Lamp" in blectl("devices", "--paired"))
      """)
    #expect(result.text.contains(value))
    #expect(result.lines.last == "True", "\(result.errorText)")
  }

  @Test("With --pair, BlueZ may pair before the first request is sent")
  func earlyPairing() async throws {
    let result = try await run(
      "",
      """
      control(do="delay-services", device="C0:00:00:00:00:01", by="5s")
      watch = subprocess.Popen(
          [TOOL, "monitor", "--event", "connected", "--count", "1", "-v"], stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, text=True)
      while "watching" not in watch.stderr.readline(): pass
      reader = subprocess.Popen(
          [TOOL, "read", "Lamp", "2a19", "--pair", "-vv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
      watch.wait()
      control(do="ask-security", device="C0:00:00:00:00:01")
      value, words = reader.communicate()
      print(value.strip(), words.count("paired: Lamp"), "Rejected" in words, reader.returncode)
      """)
    #expect(result.lines == ["57 1 False 0"], "\(result.errorText)")
  }

  @Test("Without a terminal, --pair pairs only where no person is needed")
  func nobody() async throws {
    let required = #""capability": "display-only", "mitm": "required""#
    let result = try await run(
      required,
      """
      done = subprocess.run(
          [TOOL, "read", "Lamp", "2a19", "--pair", "--timeout", "3s"], stdin=subprocess.DEVNULL, capture_output=True)
      print(done.returncode)
      print(repr(blectl("devices", "--paired")))
      """)
    #expect(result.lines.first != "0")
    #expect(result.lines.last == "''")
  }

  @Test("A device that BlueZ has paired meanwhile is not paired again: the value is read")
  func pairedMeanwhile() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "pairing": {}, "services": [{"uuid": "ffe0",
        "characteristics": [{"uuid": "ffe1", "value": "57", "properties": ["read"], "security": "encrypted"}]}]}],
       "events": [
        {"at": "0s", "do": "fail-call", "method": "ReadValue", "error": "NotPermitted", "text": "Not paired", "times": 1},
        {"at": "0s", "do": "fail-call", "method": "Pair", "error": "AlreadyExists", "text": "Already Exists"}]}
      """
    let result = try await PairingScript.run(world, #"print(blectl("read", "Lamp", "ffe1", "--pair"))"#)
    #expect(result.lines.first == "57", "\(result.errorText)")
  }

  /// Subscribes over a bond, which the device then loses.
  private static let losing = """
    blectl("pair", "Lamp")
    tool = Program("subscribe", "Lamp", "2a19", "--reconnect", *OPTIONS)
    while tool.record()["event"] != "connected": pass
    control(do="forget-bonds", device="C0:00:00:00:00:01")
    control(do="drop-link", device="C0:00:00:00:00:01")

    """

  @Test("With --reconnect --pair, a bond that the device has lost is replaced")
  func replaced() async throws {
    let result = try await run(
      "",
      """
      OPTIONS = ["--pair"]
      \(Self.losing)
      while tool.record()["event"] != "reconnected": pass
      print(json.loads(blectl("info", "Lamp", "--json"))["bonded"])
      tool.process.send_signal(signal.SIGINT)
      print(tool.process.wait())
      """)
    #expect(result.lines == ["True", "-2"], "\(result.errorText)")
    #expect(result.errorText.contains("has lost the keys of the pairing: pairing again"))
  }

  @Test("Without --pair, --reconnect ends when the device has lost its bond")
  func kept() async throws {
    let result = try await run(
      "",
      """
      OPTIONS = []
      \(Self.losing)
      print(tool.process.wait())
      print("Lamp" in blectl("devices", "--paired"))
      """)
    #expect(result.lines == ["1", "True"], "\(result.errorText)")
    #expect(result.errorText.contains("hint: blectl unpair C0:00:00:00:00:01, then blectl pair"))
  }
}
