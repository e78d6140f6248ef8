// SPDX-License-Identifier: MIT
internal import TestSupport

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

  /// What every program begins with.
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
  static func run(_ world: String, _ script: String) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try folder.write(world, to: "world.json")
      try folder.write(prelude + script, to: "script.py")
      let line = "BLECTL=$PWD/blectl blectl simulate world.json --control control -- python3 script.py"
      return try await folder.start(line).result()
    }
  }
}
