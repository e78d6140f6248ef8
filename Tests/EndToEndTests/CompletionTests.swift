// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// The questions of the completion scripts to the binary; `Tests/System/Completions/run.sh` presses Tab in the shells themselves.
@Suite("Completion by the binary")
struct CompletionTests {
  /// The candidates for the last of some words.
  private func offers(
    _ blectl: Blectl, _ argument: String, _ words: String..., shell: String = "fish"
  ) async throws -> ToolResult {
    try await blectl.start(
      [
        "---completion", words[0], "--", argument, "\(words.count)", "\(words[words.count - 1].count)",
        "blectl",
      ] + words,
      environment: ["SAP_SHELL": shell, "SAP_SHELL_VERSION": "3.6"]
    ).result()
  }

  @Test("Tab starts no program that leads to a bus")
  func programs() async throws {
    try await ToolFolder.with { folder in
      let address = "unixexec:path=/usr/bin/touch,argv1=\(folder.path)/started"
      let result = try await offers(Blectl(), "--adapter", "info", "--bus", address, "--adapter", "")
      #expect(result.status == 0 && result.text.split(separator: "\n").isEmpty)
      #expect(try await folder.run("ls started").status != 0)
    }
  }

  @Test("A bus that is away, or has no BlueZ, is passed over in silence")
  func silent() async throws {
    let away = try await offers(Blectl(bus: "unix:path=/nonexistent"), "--adapter", "info", "--adapter", "")
    #expect(away.status == 0)
    #expect(away.text.split(separator: "\n").isEmpty)
    #expect(away.errorText.isEmpty)
    let bus = try await PrivateBus.start()
    let empty = try await offers(Blectl(bus: bus.address), "--adapter", "info", "--adapter", "")
    #expect(empty.text.split(separator: "\n").isEmpty && empty.errorText.isEmpty)
    await bus.stop()
  }

  @Test("A daemon that hangs is not waited for")
  func frozen() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.freeze()
      let waiting = try Blectl(bus: simulated.address).start(["devices", "--timeout", "20s"])
      let result = try await offers(Blectl(bus: simulated.address), "--adapter", "info", "--adapter", "")
      #expect(waiting.isRunning)
      waiting.send(signal: SIGKILL)
      #expect(result.status == 0)
      #expect(result.text.split(separator: "\n").isEmpty && result.errorText.isEmpty)
      await simulated.simulator.thaw()
    }
  }

  @Test(
    "The scripts offer files, commands and the words of an option where those are wanted",
    arguments: [
      (
        "bash",
        [
          "'--log')\n        __blectl_add_completions -f", "_command_offset", "'signal'$'\\n''socket'",
          "${cur#@}",
        ]
      ),
      ("zsh", ["May be repeated.]:file|url:_files", "_normal", "('signal' 'socket')", "compset -P '@'"]),
      ("fish", ["May be repeated.' -rF", "complete -C", "'signal socket'", "__blectl_is_file_value"]),
    ])
  func scripts(shell: String, parts: [String]) async throws {
    let script = try await Blectl().run("--generate-completion-script", shell).text
    for part in parts { #expect(script.contains(part), "\(part)") }
    #expect(script.contains("adapter_changed"))
  }

  @Test("The names and addresses of keys are offered to be removed, files to be imported, and never a key")
  func keys() async throws {
    let scratch = try ScratchDirectory()
    let (sensor, phone) = ("54:48:E6:8F:80:A5", "My Phone")
    let keys = "\(scratch.path)/keys.json"
    let blectl = Blectl(bus: "unix:path=/nonexistent")
    for name in [sensor, phone] {
      let added = try await blectl.run(
        "keys", "add", name, "--keys", keys, input: Array("231d39c1d7cc1ab1aee224cd096db932\n".utf8))
      #expect(added.status == 0, "\(added.errorText)")
    }
    let removal = try await offers(blectl, "subjects", "keys", "remove", "--keys", keys, "")
    #expect(removal.lines == ["My Phone\tidentity", "\(sensor)\tbind key"])
    let bash = try await offers(blectl, "subjects", "keys", "remove", "--keys", keys, "", shell: "bash")
    #expect(bash.lines == ["My Phone", sensor.replacing(":", with: "-")])
    let files = try await offers(blectl, "subjects", "keys", "import", "\(scratch.path)/ke", shell: "bash")
    #expect(files.lines == [keys])
    unlink(keys)
  }

  @Test("Names of the Bluetooth SIG need no bus")
  func names() async throws {
    let blectl = Blectl(bus: "unix:path=/nonexistent")
    let result = try await offers(blectl, "--service", "scan", "--service", "immediate-a", shell: "bash")
    #expect(result.lines == ["immediate-alert"])
  }
}
