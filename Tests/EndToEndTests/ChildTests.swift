// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

/// The commands that `simulate --` and `monitor --exec` run.
@Suite("Commands that blectl runs", .timeLimit(.minutes(5)))
struct ChildTests {
  @Test(
    "The status of a command is known also where SIGCHLD was ignored from the start",
    arguments: [
      (["simulate", "--", "/bin/sh", "-c", "exit 7"], 7, ""),
      (
        ["monitor", "--simulate", "--scan", "--event", "found", "--count", "1", "-q", "--exec", "exit 3"],
        0, "ended with status 3\n"
      ),
    ] as [([String], Int32, String)])
  func ignoredChildSignal(arguments: [String], status: Int32, complaint: String) async throws {
    let script = """
      import os, signal, sys
      signal.signal(signal.SIGCHLD, signal.SIG_IGN)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let result = try await ToolRun(
      "/usr/bin/env", ["python3", "-c", script, Blectl.path] + arguments, limit: .seconds(60)
    ).result()
    #expect(result.status == status)
    #expect(result.errorText.hasSuffix(complaint))
  }

  @Test(
    "SIGTERM ends the command of --exec and what it has started, even what does not want to end",
    arguments: [
      "sleep 600 & echo started; wait",
      "(trap '' TERM; echo started; while :; do sleep 600; done) & wait",
    ])
  func group(_ command: String) async throws {
    let running = try Blectl().start(["monitor", "--simulate", "--scan", "--exec", command])
    #expect(await running.waitForLines(1))
    running.send(signal: SIGTERM)
    // Over only when all that have the same output have ended.
    #expect(await running.result().signal == SIGTERM)
  }

  @Test("A command that does not end at the first signal ends at the second, and blectl with it")
  func secondSignal() async throws {
    let command = "trap 'echo asked' TERM; echo started; while :; do sleep 0.1; done"
    let running = try Blectl().start(["simulate", "--", "/bin/sh", "-c", command])
    #expect(await running.waitForLines(1))
    running.send(signal: SIGTERM)
    #expect(await running.waitForLines(2))
    running.send(signal: SIGTERM)
    let result = await running.result()
    #expect(result.signal == SIGTERM)
    #expect(result.lines == ["started", "asked"])
  }

  @Test("Ctrl-Z stops the command of --exec as well, and it goes on with blectl")
  func stopped() async throws {
    let script = """
      import os, signal, subprocess, sys, time
      def wait(process, is_stopped):
          while True:
              state = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0]
              if (state == "T") == is_stopped: return
              time.sleep(0.01)
      # Without children: a shell within vfork(2) is not stopped itself, but waits for a stopped child.
      command = "echo $$; exec sleep 600"
      run = subprocess.Popen([sys.argv[1], "monitor", "--simulate", "--scan", "--exec", command],
                             stdout=subprocess.PIPE, preexec_fn=os.setpgrp)
      hook = int(run.stdout.readline())
      run.send_signal(signal.SIGTSTP)
      os.waitpid(run.pid, os.WUNTRACED)
      wait(hook, True)
      run.send_signal(signal.SIGCONT)
      wait(hook, False)
      run.terminate()
      print(run.wait())
      """
    let result = try await ToolRun(
      "/usr/bin/env", ["python3", "-c", script, Blectl.path], limit: .seconds(60)
    ).result()
    #expect(result.text == "-\(SIGTERM)\n", "\(result.errorText)")
  }
}
