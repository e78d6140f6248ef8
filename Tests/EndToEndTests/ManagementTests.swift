// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// `smp` on a simulated server of MCUmgr.
@Suite("Management of devices", .timeLimit(.minutes(3)))
struct ManagementTests {
  private func run(_ words: String, _ input: String = "") async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try await folder.run("\(input) blectl smp Sensor \(words) --simulate=update")
    }
  }

  /// Runs several commands on one device.
  private func together(_ script: String) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try folder.write(
        "smp() { blectl smp Sensor \"$@\" || echo \"status $?\"; }\n\(script)\n", to: "script")
      return try await folder.run("blectl simulate update -- bash script")
    }
  }

  @Test("The answers to questions are printed, as text and as records")
  func questions() async throws {
    #expect(try await run("echo hello there").lines == ["hello there"])
    let echo = try await run("echo hi --json").records
    #expect(echo.first?["text"]?.text == "hi" && echo.first?["address"]?.text == "C6:0D:A7:E0:00:01")
    let params = try await run("params")
    #expect(params.lines == ["buffer size\t2475", "buffer count\t4"], "\(params.text)\(params.errorText)")
    let info = try await run("info")
    #expect(
      info.lines.contains("bootloader\tMCUboot") && info.lines.contains("mode\tswap-move"), "\(info.text)")
    let stats = try await run("stats")
    #expect(stats.lines == ["radio"], "\(stats.text)\(stats.errorText)")
    #expect(try await run("stats radio").lines == ["sent\t1204", "lost\t3"])
    let counters = try await run("stats radio --json").records
    #expect(counters.first?["statistics"]?["sent"]?.number == 1204)
  }

  @Test("Images are listed, tested, confirmed and erased, named by the first digits of their hash")
  func images() async throws {
    let result = try await together(
      """
      blectl simulate --firmware smp >new
      blectl update Sensor new -q --confirm never
      smp images
      first=$(smp images --json | grep 2.0.0 | sed 's/.*"hash":"\\([0-9a-f]\\{8\\}\\).*/\\1/')
      echo "first $first"
      smp images confirm $first
      smp images erase -q
      smp images
      smp images test ffff
      """)
    let lines = result.lines
    #expect(lines.first?.hasPrefix("0\t0\t2.0.0\tactive\t") == true, "\(result.text)\(result.errorText)")
    #expect(lines.contains { $0.hasPrefix("0\t0\t2.0.0\tactive, confirmed\t") }, "\(result.text)")
    #expect(lines.last == "status 4", "\(result.text)")
    #expect(result.errorText.contains("cannot find the image ffff of Sensor: it has no such image"))
  }

  @Test("The status is 1 if that of the command is not 0, whose output is printed all the same")
  func shell() async throws {
    let good = try await run("shell kernel version")
    #expect(good.status == 0 && good.lines == ["Zephyr version 4.1.0"], "\(good.text)\(good.errorText)")
    let bad = try await run("shell kernel nonsense")
    #expect(bad.status == 1)
    #expect(
      bad.errorText.contains("cannot run 'kernel nonsense' on Sensor: its status is "), "\(bad.errorText)")
  }

  @Test("Files are read, written, compared and measured")
  func files() async throws {
    let result = try await together(
      """
      smp fs get /lfs/notes.txt
      head -c 5000 /dev/urandom >file
      smp fs put file /lfs/new -q
      smp fs length /lfs/new
      [ "$(smp fs hash /lfs/new)" = "$(sha256sum <file | cut -c -64)" ] && echo equal
      smp fs get /lfs/new back -q; cmp file back && echo same
      smp fs get /lfs/notes.txt --json
      smp fs get /lfs/none
      """)
    #expect(
      result.lines.prefix(4) == ["calibrated 2026-04-12", "5000", "equal", "same"],
      "\(result.text)\(result.errorText)")
    #expect(result.lines.dropFirst(4).first?.contains("\"value\":\"63616c69") == true, "\(result.text)")
    #expect(result.lines.last == "status 1" || result.lines.last == "status 4", "\(result.text)")
  }

  @Test("Settings are read, changed and deleted")
  func settings() async throws {
    let result = try await together(
      """
      smp settings get sensor/interval
      smp settings set sensor/interval u16:300 -q
      smp settings get sensor/interval
      smp settings save
      smp settings delete sensor/interval -q
      smp settings get sensor/interval
      """)
    #expect(
      result.lines.first == "3c00" && result.lines.dropFirst().first == "2c01",
      "\(result.text)\(result.errorText)")
    #expect(result.lines.last?.hasPrefix("status ") == true, "\(result.text)")
    #expect(result.errorText.contains("Sensor: saved the settings"), "\(result.errorText)")
  }

  @Test("Any request can be sent as JSON, and its answer is JSON that can be sent")
  func raw() async throws {
    let answer = try await run(#"raw 0 0 '{"d": "hi"}' --write"#)
    #expect(answer.lines == [#"{"r":"hi"}"#], "\(answer.text)\(answer.errorText)")
    let record = try await run("raw 0 6 --json").records.first
    #expect(record?["answer"]?["buf_size"]?.number == 2475 && record?["command"]?.number == 6)
    let bytes = try await run(#"raw 3 0 '{"name": "sensor/interval"}'"#)
    #expect(bytes.lines == [#"{"val":{"$hex":"3c00"}}"#], "\(bytes.text)\(bytes.errorText)")
    let unknown = try await run("raw 77 1")
    #expect(
      unknown.status == 1 && unknown.errorText.contains("cannot manage Sensor: "), "\(unknown.errorText)")
  }

  @Test("A device that is told to is away, and back after its restart")
  func reset() async throws {
    let result = try await together("smp reset; smp echo back")
    #expect(result.lines == ["back"], "\(result.text)\(result.errorText)")
    #expect(result.errorText.contains("Sensor: reset"), "\(result.errorText)")
  }

  @Test("A script uses it over its link")
  func script() async throws {
    let result = try await ToolFolder.with { folder in
      try await folder.run(
        "printf 'smp echo one\\nsmp stats radio\\nsmp fs get /lfs/notes.txt' | blectl run Sensor --simulate=update"
      )
    }
    #expect(
      result.lines == ["one", "sent\t1204", "lost\t3", "calibrated 2026-04-12"],
      "\(result.text)\(result.errorText)")
  }

  @Test(
    "Words that make no sense are refused",
    arguments: [
      ("smp Sensor", "missing expected argument '<action>'"),
      ("smp Sensor ecko x", "unknown action 'ecko'; did you mean echo?"),
      ("smp Sensor echo", "'echo' is used as echo TEXT"),
      ("smp Sensor images burn", "'images' is used as images [test HASH|confirm [HASH]|erase [SLOT]]"),
      ("smp Sensor images test xyz", "'xyz' is not the hash of an image"),
      ("smp Sensor fs get", "'fs' is used as fs get PATH [FILE]"),
      ("smp Sensor settings set a", "'settings' is used as settings get NAME"),
      ("smp Sensor raw 0", "'raw' is used as raw GROUP COMMAND [JSON]"),
      ("smp Sensor raw 0 300", "'300' is not a number from 0 to 255"),
      (
        "smp Sensor raw 0 0 [1]",
        "'[1]' is not the JSON of a request: 1:1: expected an object, found an array"
      ),
      ("smp Sensor raw 0 0 {\"a\":{\"$hex\":\"0\"}}", "expected bytes in hexadecimal"),
      ("smp Sensor info --write", "--write needs raw"), ("smp Sensor echo a --force", "--force needs reset"),
    ])
  func mistakes(line: String, message: String) async throws {
    let refused = try await Blectl().start(line.split(separator: " ").map(String.init)).result()
    #expect(refused.status == 64)
    #expect(refused.errorText.contains(message), "\(refused.errorText)")
  }
}
