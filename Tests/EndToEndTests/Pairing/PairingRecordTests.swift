// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Runs Python programs that pair, on a simulated BlueZ with one lamp.
enum PairingScript {
  /// A world whose lamp pairs in some way; its level needs encryption.
  static func world(_ pairing: String, name: String = "Lamp", security: String = "encrypted") -> String {
    """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "\(name)", "pairing": {\(pairing)},
      "services": [{"uuid": "180f", "characteristics": [
        {"uuid": "2a19", "value": "57", "properties": ["read", "notify"], "security": "\(security)"}]}]}]}
    """
  }

  static let shows = #""capability": "display-only", "mitm": "wanted", "passkey": "042017""#
  static let types = #""capability": "keyboard-only", "mitm": "wanted""#
  static let compares = #""capability": "display-yes-no", "mitm": "wanted""#

  /// The beginning of every program.
  ///
  /// `Terminal(ARGUMENTS)` runs blectl on a terminal of 80 columns: `wait(TEXT)` waits until TEXT was shown, `type(TEXT)`
  /// types, `end()` returns all that was shown and the status. `Program(ARGUMENTS)` runs it for a program: `record()` is
  /// the next record. `blectl(ARGUMENTS)` returns the output of a command. `control(COMMAND)` is a command to the simulation.
  private static let prelude = #"""
    import fcntl, json, os, re, signal, socket, struct, subprocess, sys, termios
    TOOL = os.environ["BLECTL"]

    class Terminal:
        def __init__(self, *arguments):
            self.screen, terminal = os.openpty()
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            def lead():
                os.setsid()
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            self.process = subprocess.Popen(
                [TOOL, *arguments], stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=lead,
                env=dict(os.environ, TERM="xterm"))
            os.close(terminal)
            self.shown = b""
        def read(self):
            try: data = os.read(self.screen, 65536)
            except OSError: data = b""
            self.shown += data
            return data
        def wait(self, text):
            while text not in self.shown.decode(errors="replace"):
                if not self.read(): sys.exit(f"not shown: {text!r} in {self.shown!r}")
        def type(self, text): os.write(self.screen, text.encode())
        def end(self):
            while self.read(): pass
            return self.shown.decode(), self.process.wait()

    class Program:
        def __init__(self, *arguments):
            self.process = subprocess.Popen(
                [TOOL, *arguments, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                stderr=subprocess.PIPE if arguments[0] == "agent" else None)
        def record(self): return json.loads(self.process.stdout.readline())
        def answer(self, text):
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()

    def lines(shown):
        "The lines as they are in the end: without colours, and without what was drawn over."
        text = re.sub("\x1b7.*?\x1b8|\x1b\\[[0-9;]*m", "", shown).replace("\r\n", "\n")
        return [line.split("\r")[-1].replace("\x1b[K", "") for line in text.split("\n")]

    def blectl(*arguments):
        return subprocess.run([TOOL, *arguments], capture_output=True, text=True).stdout

    def control(**command):
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.environ["BLECTL_SIMULATE_CONTROL"])
        client.sendall(json.dumps(command).encode() + b"\n")
        answer = client.recv(4096)
        if b'"ok":true' not in answer: sys.exit(answer)

    def pairable():
        "Whether an agent is registered with BlueZ."
        checks = [json.loads(line) for line in blectl("doctor", "--json").splitlines()]
        return "is pairable" in next(check["message"] for check in checks if check["check"] == "pairing")


    """#

  /// Runs a program; each line that it prints is a result.
  static func run(_ world: String, _ script: String, bluez: String = "5.66") async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try folder.write(world, to: "world.json")
      try folder.write(prelude + script, to: "script.py")
      let line =
        "BLECTL=$PWD/blectl blectl simulate world.json --bluez \(bluez) --control control -- python3 script.py"
      return try await folder.start(line).result()
    }
  }
}

@Suite("Pairing by a program")
struct PairingRecordTests {
  private func run(_ pairing: String, _ script: String) async throws -> [String] {
    let result = try await PairingScript.run(PairingScript.world(pairing), script)
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines
  }

  /// Prints what matters of the next record.
  private static let show = #"""
    def show(record): print(*(record.get(key) for key in ("event", "address", "name", "passkey", "method", "bonded")))

    """#

  @Test("A program reads the questions, and writes the answers")
  func passkey() async throws {
    let lines = try await run(
      PairingScript.shows,
      Self.show + """
        tool = Program("pair", "Lamp")
        show(tool.record())
        tool.answer("nonsense")
        tool.answer("042017")
        show(tool.record())
        print(tool.process.wait())
        """)
    #expect(
      lines == [
        "passkey-wanted C0:00:00:00:00:01 Lamp None None None",
        "paired C0:00:00:00:00:01 Lamp None passkey True", "0",
      ])
  }

  @Test("A comparison has the number, with all six digits", arguments: [("yes", "0"), ("no", "1")])
  func comparison(_ answer: String, _ status: String) async throws {
    let lines = try await run(
      PairingScript.compares,
      """
      tool = Program("pair", "Lamp")
      record = tool.record()
      print(record["event"], len(record["passkey"]), record["passkey"].isdigit())
      tool.answer("\(answer)")
      print(tool.process.wait())
      """)
    #expect(lines == ["confirm 6 True", status])
  }

  @Test("The passkey to type into the device is a record that needs no answer")
  func shown() async throws {
    let lines = try await run(
      PairingScript.types,
      """
      tool = Program("pair", "Lamp")
      record = tool.record()
      print(record["event"], len(record["passkey"]))
      record = tool.record()
      print(record["event"], record["method"])
      print(tool.process.wait())
      """)
    #expect(lines == ["passkey-shown 6", "paired passkey", "0"])
  }

  @Test("A question that is withdrawn is reported")
  func cancelled() async throws {
    let lines = try await run(
      PairingScript.shows,
      """
      tool = Program("pair", "Lamp")
      print(tool.record()["event"])
      control(**{"do": "drop-link", "device": "C0:00:00:00:00:01"})
      print(tool.record()["event"])
      print(tool.process.wait())
      """)
    #expect(lines == ["passkey-wanted", "cancelled", "1"])
  }

  @Test("With --yes, the numbers were not compared, and a device in between would go unnoticed")
  func notCompared() async throws {
    let lines = try await run(
      PairingScript.compares,
      """
      tool = subprocess.run([TOOL, "pair", "Lamp", "--yes"], capture_output=True, text=True)
      print(tool.stderr.splitlines()[-1], tool.returncode)
      """)
    #expect(
      lines == [
        "numeric comparison with --yes: links are encrypted, but a device in between would go unnoticed 0"
      ])
  }

  @Test("The passkey is in no log, and in no other process's arguments")
  func secret() async throws {
    let lines = try await run(
      PairingScript.shows,
      """
      tool = subprocess.Popen(
          [TOOL, "pair", "Lamp", "--json", "-vv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, text=True)
      record = json.loads(tool.stdout.readline())
      output, errors = tool.communicate("042017\\n")
      print(tool.returncode, "RequestPasskey" in errors, "42017" in errors)
      """)
    #expect(lines == ["0 True False"])
  }

  /// Runs a program with two connected lamps that compare numbers.
  private func runWithTwo(
    _ script: String, first pairing: String = PairingScript.compares, bluez: String = "5.66"
  ) async throws -> [String] {
    let device = { (number: Int, pairing: String) in
      """
      {"address": "C0:00:00:00:00:0\(number)", "name": "Lamp \(number)", "pairing": {\(pairing)},
       "services": [{"uuid": "180f", "characteristics": [{"uuid": "2a19", "value": "57", "properties": ["read"]}]}]}
      """
    }
    let prelude = """
      first, second = "C0:00:00:00:00:01", "C0:00:00:00:00:02"
      for lamp in (first, second): blectl("connect", lamp)

      """
    let result = try await PairingScript.run(
      #"{"peripherals": [\#(device(1, pairing)), \#(device(2, PairingScript.compares))]}"#, prelude + script,
      bluez: bluez)
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines
  }

  @Test(
    "'agent' does not take text written before a question as its answer",
    arguments: [
      #"ahead = open("ahead", "w+"); ahead.write("yes\nyes"); ahead.flush(); ahead.seek(0)"#,
      #"ahead, writer = os.pipe(); os.write(writer, b"yes\nyes"); os.close(writer)"#,
      #"ahead, writer = socket.socketpair(); writer.sendall(b"yes\nyes"); writer.close()"#,
      #"ahead, writer = socket.socketpair(type=socket.SOCK_SEQPACKET); writer.send(b"yes\nyes" * 300); writer.close()"#,
      #"ahead = open("/dev/null")"#,
    ])
  func writtenAhead(_ ahead: String) async throws {
    let lines = try await runWithTwo(
      """
      \(ahead)
      tool = subprocess.Popen(
          [TOOL, "agent", "--json"], stdin=ahead, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
      while "answering" not in tool.stderr.readline(): pass
      control(**{"do": "ask-security", "device": first})
      print(json.loads(tool.stdout.readline())["event"])
      print("standard input gave no answer" in tool.stderr.readline())
      tool.send_signal(signal.SIGINT)
      print(repr(tool.stdout.read()), tool.wait(), repr(blectl("devices", "--paired")))
      """)
    #expect(lines == ["confirm", "True", "'' -2 ''"])
  }

  @Test("An output that is not read holds no pairing up")
  func unread() async throws {
    let lines = try await runWithTwo(
      """
      reader, writer = os.pipe()
      os.set_blocking(writer, False)
      try:
          while True: os.write(writer, b" " * 4096)
      except BlockingIOError: os.set_blocking(writer, True)
      tool = subprocess.Popen(
          [TOOL, "agent", "--yes", "--json"], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, text=True)
      os.close(writer)
      while "answering" not in tool.stderr.readline(): pass
      for lamp in (first, second):
          control(**{"do": "ask-security", "device": lamp})
          while lamp not in blectl("devices", "--paired"): pass
      records = open(reader)
      print([json.loads(records.readline())["address"] == lamp for lamp in (first, second)])
      tool.send_signal(signal.SIGINT)
      print(tool.wait())
      """)
    #expect(lines == ["[True, True]", "-2"])
  }

  @Test("'pair' takes text written before the first question as the answer to that one only")
  func writtenAheadOfOne() async throws {
    let paired = try await run(
      PairingScript.shows,
      """
      tool = subprocess.run([TOOL, "pair", "Lamp", "--json"], input="042017\\n", stdout=subprocess.PIPE, text=True)
      print([json.loads(record)["event"] for record in tool.stdout.splitlines()], tool.returncode)
      """)
    #expect(paired == ["['passkey-wanted', 'paired'] 0"])
    // The device begins a pairing of its own, which is refused, and with it that of the command.
    let refused = try await runWithTwo(
      """
      control(**{"do": "fail-call", "method": "Pair", "error": "InProgress", "times": 15})
      tool = subprocess.Popen(
          [TOOL, "pair", first, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
      tool.stdin.write("no\\nyes\\n")
      tool.stdin.close()
      import select
      while not select.select([tool.stdout], [], [], 0.02)[0]: control(**{"do": "ask-security", "device": first})
      events = [json.loads(record)["event"] for record in tool.stdout]
      print(events, tool.wait())
      """, bluez: "5.82")
    #expect(refused == ["['confirm'] 1"])
  }

  @Test("'pair' refuses a question about another device without asking")
  func anotherDevice() async throws {
    let lines = try await runWithTwo(
      """
      tool = subprocess.Popen(
          [TOOL, "pair", first, "--json", "-vv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
          text=True)
      tool.stdin.write("yes\\n")
      tool.stdin.flush()
      def wait(text):
          while text not in tool.stderr.readline(): pass
      wait("Device1.Pair")
      control(**{"do": "ask-security", "device": second})
      wait("RequestConfirmation")
      wait("Rejected")
      tool.send_signal(signal.SIGINT)
      print(repr(tool.communicate()[0]), tool.returncode, repr(blectl("devices", "--paired")))
      """, first: #""request": "ignore""#)
    #expect(lines == ["'' -2 ''"])
  }

  @Test("An answer names its question and its device")
  func named() async throws {
    let lines = try await run(
      PairingScript.compares,
      #"""
      tool = Program("pair", "Lamp")
      tool.process.stdin.write('{"question":1,"answer":"yes"}\n{"question":2,"address":"C0:00:00:00:00:01","answer":"yes"}\n')
      record = tool.record()
      print(record["event"], record["question"])
      for question, address, answer in ((2, "C0:00:00:00:00:01", "yes"), (1, "C0:00:00:00:00:02", "yes"),
                                        (1, "c0-00-00-00-00-01", "no")):
          tool.answer(json.dumps({"question": question, "address": address, "answer": answer}))
      print(tool.process.stdout.read(), tool.process.wait())
      """#)
    #expect(lines == ["confirm 1", " 1"])
  }

  @Test("A late answer to a question about one device does not let another one pair")
  func late() async throws {
    let lines = try await runWithTwo(
      #"""
      tool = Program("agent")
      while "answering" not in tool.process.stderr.readline(): pass
      control(**{"do": "ask-security", "device": first})
      one = tool.record()
      control(**{"do": "drop-link", "device": first})
      void = tool.record()
      print(one["event"], one["question"], void["event"], void["question"], void["address"] == first)
      control(**{"do": "ask-security", "device": second})
      two = tool.record()
      print(two["event"], two["question"], two["address"] == second)
      tool.answer("yes")  # meant for the first device
      print("question that was withdrawn" in tool.process.stderr.readline())
      tool.answer(json.dumps({"question": one["question"], "address": first, "answer": "yes"}))
      print("it answers question 1" in tool.process.stderr.readline())
      print(second in blectl("devices", "--paired"))
      tool.answer(json.dumps({"question": two["question"], "address": second, "answer": "yes"}))
      paired = tool.record()
      print(paired["event"], paired["address"] == second)
      tool.process.send_signal(signal.SIGINT)
      print(tool.process.wait())
      """#)
    #expect(
      lines == [
        "confirm 1 cancelled 1 True", "confirm 2 True", "True", "True", "False", "paired True", "-2",
      ])
  }
}
