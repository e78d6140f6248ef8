// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import TestSupport
internal import Testing

/// `send`, `receive` and `write`, and what they say of the bytes.
@Suite("Transfers")
struct TransferTests {
  /// A board with the kinds of characteristics that take bytes: fff1 stores them, fff3 answers nothing, fff4 takes few, fff5
  /// and fff6 let fff2 notify, fff7 and fff8 need encryption.
  private static let board = """
    "mtu": 247, "services": [{"uuid": "fff0", "characteristics": [
      {"uuid": "fff1", "properties": ["read", "write", "write-without-response"], "value": "00"},
      {"uuid": "fff2", "properties": ["notify"]},
      {"uuid": "fff3", "properties": ["read", "write-without-response"], "value": "00"},
      {"uuid": "fff4", "properties": ["write", "write-without-response"], "max_length": 5},
      {"uuid": "fff5", "properties": ["write"], "on_write": {"burst": "fff2"}},
      {"uuid": "fff6", "properties": ["write", "write-without-response"], "on_write": {"echo": "fff2"}},
      {"uuid": "fff7", "properties": ["read", "write", "write-without-response"], "value": "00",
       "security": "encrypted"},
      {"uuid": "fffa", "properties": ["write", "write-without-response"], "max_length": 5, "on_write": {"echo": "fff2"}},
      {"uuid": "fff8", "properties": ["read", "write-without-response"], "value": "00", "security": "encrypted"}]}]
    """
  static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:02", "name": "Board", \(board)},
                     {"address": "C0:00:00:00:00:03", "name": "Other", \(board)}]}
    """

  /// Runs a script beside the boards, with files of 10 and 1000 bytes.
  func run(_ script: String) async throws -> ToolResult {
    let world = try World(json: Array(Self.world.utf8), name: "w") { _ throws(WorldFileError) in [] }
    return try await withSimulator(world: world) { simulated in
      try await Blectl.runScript(
        """
        printf 0123456789 >ten; head -c 1000 /dev/zero >file
        blectl() { "$BLECTL" "$@" 2>&1; local status=$?; [ $status = 0 ] || echo "status $status"; }

        """ + script, bus: simulated.address)
    }
  }

  /// The lines without rates and times.
  private func lines(_ result: ToolResult) -> [String] {
    result.lines.map { $0.replacing(#/\ in [0-9.]+ s(?:, [0-9.]+ k?B/s)?/#, with: "") }
  }

  // MARK: What is said is so

  @Test("A file whose packets the device refuses is not reported as sent")
  func refused() async throws {
    let result = try await run("blectl send Board fff4 file")
    #expect(
      lines(result) == [
        "blectl: cannot write fff4 of Board: the device refuses (ATT 0x0d invalid attribute value length)",
        "  0 of 1000 bytes have certainly arrived", "status 1",
      ])
  }

  @Test("Bytes that no answer of the device covers are handed over, in text and in records")
  func handedOver() async throws {
    let result = try await run(
      """
      blectl send Board fff3 file
      blectl write Board fff3 01
      blectl write Board fff1 01 --no-response
      blectl write Board fff1 01
      blectl send Board fff1 file
      for WORDS in 'send Board fff3 file' 'send Board fff1 file' 'write Board fff3 01' 'write Board fff1 01'; do
        blectl $WORDS --json | grep -o '"acknowledged":[a-z]*'
      done
      """)
    #expect(
      lines(result) == [
        "handed over 1000 bytes to Board; the device does not say whether it takes them",
        "handed over 1 value to Board", "handed over 1 value to Board", "wrote 1 value to Board",
        "sent 1000 bytes to Board", #""acknowledged":false"#, #""acknowledged":true"#,
        #""acknowledged":false"#, #""acknowledged":true"#,
      ])
  }

  @Test(
    "With --pair, a device is paired before the first byte, whether or not it can refuse it",
    arguments: ["send Board fff7 ten --pair", "send Board fff8 ten --pair", "write Board fff8 @ten --pair"])
  func paired(command: String) async throws {
    let result = try await run("blectl \(command) -q; blectl read Board \(command.split(separator: " ")[2])")
    #expect(result.lines == ["30313233343536373839"])
  }

  @Test("--with-response is an error where the characteristic takes only writes without")
  func withResponse() async throws {
    let result = try await run("blectl send Board fff3 file --with-response")
    #expect(
      result.lines == [
        "blectl: cannot write fff3 with response: it takes only writes without response", "status 1",
      ])
  }

  @Test("The characteristics of the checksum are looked up before anything is sent")
  func checksumFirst() async throws {
    let result = try await run(
      """
      blectl send Board fff1 ten --crc32 --checksum-to fff9
      blectl send Board fff1 ten --crc32 --checksum-from fff9
      blectl read Board fff1
      """)
    #expect(result.lines.filter { $0.hasPrefix("status") } == ["status 4", "status 4"])
    #expect(result.lines.last == "00")
  }

  // MARK: Resuming

  @Test("Another run goes on only in the same way, and another device has a note of its own")
  func otherWays() async throws {
    // The device answers with what it gets, which ends the transfer while a chunk is uncertain.
    let result = try await run(
      """
      blectl send Board fff6 file --resume --chunk 100 --ack fff2:06 | grep hint
      for WORDS in 'fff6 file' 'fff1 file' 'fff6 file --chunk 100 --offset-format u32'; do
        blectl send Board $WORDS --resume | grep cannot
      done
      blectl send Other fff1 file --resume
      ls
      """)
    let note = "file.C0-00-00-00-00-02.sending"
    #expect(
      lines(result) == [
        "hint: rm \(note), to begin again: only with --offset-format could uncertain bytes be sent twice",
        "blectl: cannot resume: the earlier 'send' was with another --chunk",
        "blectl: cannot resume: the earlier 'send' was to another characteristic",
        "blectl: cannot resume: the earlier 'send' was with another --offset-format",
        "sent 1000 bytes to Other", "file", note, "ten",
      ])
  }

  @Test("A run that cannot resume promises nothing, and says nothing of bytes")
  func unresumable() async throws {
    let result = try await run(
      """
      blectl send Board fff6 file --resume --chunk 100 --ack fff2:06 >first
      blectl send Board fff6 file --resume --chunk 100 --ack fff2:06
      """)
    #expect(
      result.lines == [
        "blectl: cannot resume at 0: the next 100 bytes may or may not have arrived",
        "hint: rm file.C0-00-00-00-00-02.sending, to begin again", "status 1",
      ])
  }

  @Test("A checksum that differs lets the next run begin again, and has a record")
  func mismatch() async throws {
    let result = try await run(
      """
      for RUN in 1 2; do
        blectl send Board fff1 ten --resume --crc32 --checksum-from fff3 --json |
          grep -o 'mismatched\\|"bytes":[0-9]*\\|"device_value":.*\\|hint.*\\|status .'
      done
      ls
      """)
    let run = [
      "mismatched", #""bytes":10"#, #""device_value":"00"}"#,
      "hint: the same command sends the whole file again",
      "status 1",
    ]
    #expect(result.lines == run + run + ["file", "ten"])
  }

  @Test("A file in the place of the characteristic is recognised")
  func misplacedFile() async throws {
    let result = try await run("blectl send Board file fff1")
    #expect(
      result.lines == [
        "blectl: cannot run 'send': 'file' is a file: the characteristic comes first",
        "hint: blectl send Board fff1 file", "status 64",
      ])
  }

  @Test("A run that fails before its first byte leaves no note")
  func noNote() async throws {
    let result = try await run(
      """
      blectl send Board fff1 file --resume --chunk 300 >errors; blectl send Board fff1 file --resume --ack fff9 >errors
      blectl send Board fff4 file --resume >errors; ls
      """)
    #expect(result.lines == ["errors", "file", "ten"])
  }

  // MARK: Receiving

  @Test("A device that waits for a command gets it when notifications are on, and no byte is lost")
  func request() async throws {
    let result = try await run(
      "blectl receive Board fff2 --to got --request fff5:u16:50 --until-length 1000 -q; wc -c <got")
    #expect(result.lines == ["1000"])
  }

  @Test(
    "In a script, a file is complete from the values since 'subscribe' on, and the rest is for the next step")
  func afterSubscribe() async throws {
    let result = try await run(
      """
      cat >script <<'END'
      subscribe fff2
      write fff5 u16:50
      expect fff2 00000000* --within 5s
      receive fff2 --to got --until-length 960
      expect fff2 31000000* --within 5s
      END
      sed -i 's/\\*/a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5/' script
      blectl run Board script >/dev/null; wc -c <got; od -An -tx1 -N4 got; tail -c 20 got | od -An -tx1 -N4
      """)
    #expect(result.lines == ["960", " 01 00 00 00", " 30 00 00 00"])
  }

  @Test("A transfer that does not begin leaves the old file as it is; one that ends without bytes empties it")
  func oldFile() async throws {
    let result = try await run(
      """
      echo precious >x
      blectl receive Nobody fff2 --to x --timeout 1s >errors
      blectl receive Board fff9 --to x >errors
      blectl receive Board fff1 --to x >errors
      blectl receive Board fff2 --to x --timeout 1s >errors
      cat x
      blectl receive Board fff2 --to nowhere/x
      blectl receive Board fff2 --to .
      """)
    #expect(
      result.lines == [
        "precious", "blectl: cannot write nowhere/x: No such file or directory", "status 1",
        "blectl: cannot write .: Is a directory", "status 1",
      ])
  }

  @Test("The time of a received file is that between its bytes, without the silence around them")
  func rate() async throws {
    let result = try await run(
      "blectl receive Board fff2 --to got --request fff5:u16:1 --until-silence 1s --json")
    let record = try #require(try result.records.first)
    #expect(record["bytes"]?.number == 20)
    #expect(record["seconds"]?.real == 0)
    #expect(record["bytes_per_second"] == nil)
  }

  @Test("Values that come twice, since another program is subscribed too, are no file and no acknowledgement")
  func otherSubscriber() async throws {
    let world = try World(json: Array(Self.world.utf8), name: "w") { _ throws(WorldFileError) in [] }
    try await withSimulator(world: world) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let other = try blectl.start(["subscribe", "Board", "fff2", "--json"])
      #expect(await other.waitForLines(1))
      let received = try await blectl.run("receive", "Board", "fff2", "--to", "/dev/null")
      #expect(received.status == 1)
      #expect(
        received.errorText.hasPrefix("blectl: cannot receive fff2: another program is subscribed to it"))
      let sent = try await blectl.run("send", "Board", "fff6", "/etc/hostname", "--ack", "fff2")
      #expect(sent.status == 1)
      #expect(sent.errorText.hasPrefix("blectl: cannot receive fff2: another program is subscribed to it"))
    }
  }

  // MARK: Words

  @Test("A word that is not UTF-8 is refused, since another value would go out, or another file be written")
  func otherBytes() async throws {
    let result = try await run(
      """
      blectl write Board fff1 $'utf8:Caf\\xe9'
      blectl write Board fff1 @$'f\\xe9.bin' --simulate
      blectl subscribe Board fff2 --log $'l\\xe9.csv' | head -1
      printf 'Caf\\xe9' | blectl write Board fff1 - -q; blectl read Board fff1; ls
      """)
    #expect(
      result.lines == [
        #"blectl: cannot read the command line: 'utf8:Caf\xe9' is not UTF-8"#,
        "hint: for other bytes, use hexadecimal digits, or - and standard input", "status 64",
        #"blectl: cannot read the command line: '@f\xe9.bin' is not UTF-8"#,
        "hint: for other bytes, use hexadecimal digits, or - and standard input", "status 64",
        #"blectl: cannot read the command line: 'l\xe9.csv' is not UTF-8"#, "436166e9", "file", "ten",
      ])
  }

  @Test("A byte order mark, as editors of Windows write it, begins files of values, worlds and profiles")
  func byteOrderMark() async throws {
    let result = try await Blectl.runScript(
      """
      printf '\\xef\\xbb\\xbf{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [' >w.json
      printf '{"uuid": "ffe0", "characteristics": [{"uuid": "ffe1", "properties": ["write"]}]}]}]}' >>w.json
      printf '\\xef\\xbb\\xbf01\\r\\n02\\r\\n' >values
      "$BLECTL" write Lamp ffe1 --from values --simulate=w.json 2>&1
      printf '\\xef\\xbb\\xbf2a19 57\\r\\n' | "$BLECTL" decode --from -
      printf '\\xef\\xbb\\xbf{"characteristics": [{"uuid": "fff1", "name": "load", "layout": "u8kg"}]}' >p.json
      "$BLECTL" decode load 05 --profile p.json
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines.first == "wrote 2 values to Lamp")
    #expect(result.lines.count == 3)
  }

  @Test("A standard input that is closed is not an empty file")
  func closedInput() async throws {
    let result = try await run("blectl send Board fff1 - <&-; blectl send Board fff1 - </dev/null")
    #expect(
      lines(result) == [
        "blectl: cannot read stdin: Bad file descriptor", "status 64", "sent 0 bytes to Board",
      ])
  }
}
