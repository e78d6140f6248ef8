// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import TestSupport
internal import Testing

/// `serial` on a terminal.
@Suite("Serial console", .timeLimit(.minutes(3)))
struct SerialConsoleTests {
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Modem",
      "uart": {"greeting": "> ", "answers": {"AT": "OK> "}}}]}
    """

  /// Runs a Python script with the descriptors `screen` and `terminal` of a pseudo-terminal, whose session has two jobs: the
  /// script, and `blectl serial`.
  private func run(_ script: String) async throws -> ToolResult {
    let beginning = """
      import os, pty, signal, sys, termios, time, fcntl
      pid, screen = pty.fork()
      shown = b""
      def until(text):
          global shown
          # A wait that is too long shows what has come.
          signal.signal(signal.SIGALRM, lambda *_: (print(text, "does not come after", shown, file=sys.stderr), os._exit(1)))
          signal.alarm(90)
          while text not in shown:
              try: part = os.read(screen, 65536)
              except OSError: break
              shown += part
          signal.alarm(0)
      if pid == 0:
          job = os.fork()
          if job == 0:
              os.setpgid(0, 0)
              os.execvp(os.environ["BLECTL"], ["blectl", "serial", "Modem", "--simulate=" + sys.argv[1]])
          # Whoever comes first; not possible once the job runs its program.
          try: os.setpgid(job, job)
          except PermissionError: pass
          signal.signal(signal.SIGTTOU, signal.SIG_IGN)
      """
    return try await ToolFolder.with { folder in
      try folder.write(Self.world, to: "world.json")
      return try await ToolRun(
        "/usr/bin/env", ["python3", "-c", beginning + "\n" + script, folder.path + "/world.json"],
        environment: ["BLECTL": Blectl.path, "TERM": "xterm", "BLECTL_KEYS": nil, "NO_COLOR": "1"], input: []
      ).result()
    }
  }

  @Test("A console in the background leaves the terminal alone, and takes it in the foreground")
  func background() async throws {
    let result = try await run(
      """
          # The shell: says whether the job is stopped, gives it the terminal, and waits for its end.
          sys.stdin.readline()
          stopped = os.waitpid(job, os.WNOHANG | os.WUNTRACED)[0] != 0
          cooked = bool(termios.tcgetattr(0)[3] & termios.ICANON)
          print("stopped" if stopped else "runs", "cooked" if cooked else "raw", flush=True)
          os.tcsetpgrp(0, job)
          os.kill(-job, signal.SIGCONT)
          status = os.waitpid(job, 0)[1]
          os.tcsetpgrp(0, os.getpgrp())
          cooked = bool(termios.tcgetattr(0)[3] & termios.ICANON)
          print("ended", status, "cooked" if cooked else "raw", flush=True)
          os._exit(0)
      until(b"Ctrl-] ends")
      os.write(screen, b"\\n")
      until(b"runs cooked")
      while termios.tcgetattr(screen)[3] & termios.ICANON: time.sleep(0.01)
      os.write(screen, b"AT\\r")
      until(b"OK> ")
      os.write(screen, b"\\x1d")
      until(b"ended 0 cooked")
      print(shown.decode())
      """)
    #expect(result.text.contains("runs cooked"), "\(result.text) \(result.errorText)")
    #expect(result.text.contains("ended 0 cooked"), "\(result.text) \(result.errorText)")
    // The summary has a line of its own, behind the prompt of the device.
    #expect(result.text.contains("OK> \r\nsent 3 bytes"), "\(result.text.debugDescription)")
  }

  @Test("A message begins on a line of its own, also where only the output is a terminal")
  func pipe() async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.world, to: "world.json")
      let command =
        "printf 'AT\\r' | '\(Blectl.path)' serial Modem --linger 2s --simulate='\(folder.path)/world.json'"
      let result = try await ToolRun(
        "/usr/bin/script", ["-qec", command, "/dev/null"], environment: ["TERM": "xterm", "NO_COLOR": "1"],
        input: nil
      ).result()
      #expect(result.text.contains("OK> \r\nsent 3 bytes"), "\(result.text.debugDescription)")
    }
  }
}
