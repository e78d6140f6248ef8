// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Write --from")
struct WriteFileTests {
  private func withLines(_ text: String, _ body: (String) async throws -> Void) async throws {
    try await TemporaryFile.with(Array(text.utf8), named: "values.txt") { try await body($0.path) }
  }

  @Test("The lines of a file are written in order; empty ones and comments are not")
  func lines() async throws {
    try await withLines("# a chord\nf03d3d0002f7\n\n  # and its end\n0xf03d3d4002f7\r\n") { path in
      try await withSimulator { simulated in
        let blectl = Blectl(bus: simulated.address)
        let answered = try await blectl.run("write", "Piano", "ffe3", "--from", path, "--reply", "ffe2")
        #expect(answered.text == "9f5400\n9f5440\n")
        let written = try await blectl.run("write", "Piano", "ffe3", "--from", path)
        #expect(written.errorText == "wrote 2 values to Piano\n")
      }
    }
  }

  @Test("Blanks within a text are written; those at its ends, and between numbers, are not")
  func blanks() async throws {
    try await withLines("  utf8:a  b\tc \r\n") { path in
      try await withSimulator(world: .contract) { simulated in
        let blectl = Blectl(bus: simulated.address)
        let blob = benchUUID("0101")
        let written = try await blectl.run("write", Address.bench, blob, "--from", path)
        #expect(written.status == 0, "\(written.errorText)")
        let read = try await blectl.run("read", Address.bench, blob)
        #expect(read.lines == ["612020620963"])
      }
    }
    let decoded = try await Blectl().run(
      "decode", "--from", "-", input: Array("2a19\t 57\n2a19 u8:\t87 \n2a1c 00  40\t02 00 fe\n".utf8))
    #expect(decoded.status == 0, "\(decoded.errorText)")
    #expect(decoded.lines.count == 3)
  }

  @Test("A line that cannot be understood is named, and nothing is sent")
  func wrongLine() async throws {
    try await withLines("f03d3d0002f7\n# next is odd\nf03\n") { path in
      try await withSimulator { simulated in
        let result = try await Blectl(bus: simulated.address).run("write", "Piano", "ffe3", "--from", path)
        #expect(result.status == 64)
        #expect(result.errorText.contains("line 3 of "), "\(result.errorText)")
      }
    }
  }

  @Test("A value that the device refuses is reported with its line, and with how many were written before")
  func refused() async throws {
    try await withLines("# refused\n01\n02\n") { path in
      try await withSimulator(world: .contract) { simulated in
        let result = try await Blectl(bus: simulated.address)
          .run("write", Address.bench, benchUUID("0102"), "--from", path)
        #expect(result.status == 1)
        #expect(
          result.errorText.contains("at line 2; 0 of 2 values were written"), "\(result.errorText)")
      }
    }
  }

  @Test("An interrupted write says how far it came", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Slow", "services": [{"uuid": "ffe0",
        "characteristics": [{"uuid": "ffe3", "properties": ["write"], "on_write": "stall"}]}]}]}
      """
    try await TemporaryFile.with(Array(world.utf8), named: "world.json") { file in
      let writing = try Blectl().start(
        ["write", "Slow", "ffe3", "--from", "-", "-vv", "--simulate=\(file.path)"],
        input: Array("01\n02\n".utf8))
      #expect(await writing.waitForErrors { $0.contains("WriteValue") })
      writing.send(signal: signal)
      let result = await writing.result()
      #expect(result.signal == signal)
      #expect(
        result.errorText.contains(
          "blectl: interrupted at line 1; 0 of 2 values were written; the device may still have received more of them\n"
        ),
        "\(result.errorText)")
    }
  }

  @Test(
    "A source without end is refused at once",
    arguments: [
      "write Piano ffe3 @/dev/zero", "write Piano ffe3 - </dev/zero", "write Piano ffe3 --from /dev/zero",
      "write Piano ffe3 --from - </dev/zero", "decode 2a37 @/dev/zero", "decode 2a37 --from /dev/zero",
    ])
  func endless(command: String) async throws {
    // On a machine with little memory it would not come to its end.
    let script = "ulimit -t 30; exec \(Blectl.path) \(command)"
    let result = try await ToolRun("/bin/sh", ["-c", script], limit: .seconds(60)).result()
    #expect(result.status == 64)
    let name = command.contains("</dev/zero") ? "stdin" : "/dev/zero"
    let reasons = [
      "cannot read \(name): it is longer than the limit of 512 bytes\nhint: blectl send DEVICE CHAR FILE, which divides it\n",
      "cannot read \(name): it is longer than the limit of 65536 bytes\n",
      "cannot read values from \(name): it is not text\n",
      "cannot read line 1 of \(name): it is too long for a value\n",
    ]
    #expect(reasons.contains { result.errorText == "blectl: \($0)" }, "\(result.errorText)")
  }
}

@Suite("Write --reply")
struct ReplyTests {
  /// A device that answers 01 twice, and 02 once, and refuses two bytes.
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Echo", "services": [{"uuid": "ffe0",
      "characteristics": [
        {"uuid": "ffe2", "properties": ["notify"]},
        {"uuid": "ffe3", "properties": ["write"], "max_length": 1, "on_write": {"answers": [
          {"request": "01", "response": "a1", "from": "ffe2"},
          {"request": "01", "response": "a2", "from": "ffe2"},
          {"request": "02", "response": "b1", "from": "ffe2"}]}}]}]}]}
    """

  /// The result of writing lines, each of which waits for its reply.
  private func write(lines: String) async throws -> ToolResult {
    try await TemporaryFile.with(Array(Self.world.utf8), named: "world.json") { file in
      try await Blectl().run(
        "write", "Echo", "ffe3", "--from", "-", "--reply", "ffe2", "--simulate=\(file.path)",
        input: Array(lines.utf8))
    }
  }

  @Test("A value notified before a write is not a reply to it")
  func late() async throws {
    let result = try await write(lines: "01\n02\n01\n02\n")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines == ["a1", "b1", "a1", "b1"])
  }

  @Test("A refused value is named by its line, with the number of the values before it")
  func refused() async throws {
    let result = try await write(lines: "01\n02\n0303\n02\n")
    #expect(result.status == 1)
    #expect(result.lines == ["a1", "b1"])
    #expect(result.errorText.contains("at line 3; 2 of 4 values were written"), "\(result.errorText)")
  }

  @Test("A reply that does not fit --as is an error, not a line of output")
  func misfit() async throws {
    try await TemporaryFile.with(Array(Self.world.utf8), named: "world.json") { file in
      let result = try await Blectl().run(
        "write", "Echo", "ffe3", "02", "--reply", "ffe2", "--as", "u16", "--simulate=\(file.path)")
      #expect(result.status == 1)
      #expect(result.text.isEmpty)
      #expect(result.errorText.contains("cannot show ffe2 of Echo as u16: b1 is 1 byte"))
    }
  }
}
