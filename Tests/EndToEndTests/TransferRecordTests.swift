// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Records of scripts that transfer files.
@Suite("Records of transfers", .timeLimit(.minutes(2)))
struct TransferRecordTests {
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:02", "name": "Board", "mtu": 23, "services": [
      {"uuid": "fff0", "characteristics": [
        {"uuid": "fff1", "properties": ["read", "write", "write-without-response"], "value": "00"},
        {"uuid": "fff2", "properties": ["notify"]},
        {"uuid": "fff5", "properties": ["write"], "on_write": {"burst": "fff2"}},
        {"uuid": "fff6", "properties": ["write", "write-without-response"], "on_write": {"echo": "fff2"}}]}]}]}
    """

  /// Runs a shell script beside the world, a script of steps, and files.
  private func run(_ steps: String, _ script: String) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try folder.write(Self.world, to: "w.json")
      try folder.write(steps, to: "s.ble")
      return try await Blectl.runScript(
        """
        cd \(folder.path); printf 0123456789012345678901234567890123456789 >forty; printf 0123 >four
        blectl() { "$BLECTL" "$@" 2>&1 | grep -v '^ok'; }

        """ + script)
    }
  }

  private static let record = "blectl run Board s.ble --record r.ndjson --simulate=w.json >/dev/null\n"

  @Test(
    "What a file, its acknowledgements and its checksum brought to a device is in the record, which can be checked"
  )
  func sent() async throws {
    let steps = """
      send fff1 forty --offset-format u8
      send fff6 forty --chunk 10 --window 2 --ack fff2
      send fff1 four --crc32 --checksum-to fff1 --checksum-from fff1
      write fff1 07
      """
    let result = try await run(
      steps,
      Self.record + """
        grep -c '"event":"written"' r.ndjson
        grep -c '"event":"value"' r.ndjson
        "$BLECTL" run Board s.ble --check-only r.ndjson; echo "status $?"
        printf 4 >>four
        "$BLECTL" run Board s.ble --check-only r.ndjson; echo "status $?"
        """)
    // Packets of 20 bytes: three with an offset; four with acknowledgements; one and its checksum; the last value.
    #expect(result.lines.first == "10", "\(result.text)\(result.errorText)")
    #expect(result.lines.dropFirst().first == "5")
    #expect(
      result.lines.filter { $0.hasPrefix("status") } == ["status 0", "status 1"], "\(result.errorText)")
    #expect(result.errorText.contains("cannot send to fff1: the record has other bytes there"))
  }

  @Test("The value that lets a device begin to send is in the record")
  func requested() async throws {
    let result = try await run(
      "receive fff2 --to got --request fff5:u16:3 --until-silence 200ms\nwrite fff1 07",
      Self.record + """
        grep '"event":"written"' r.ndjson | grep -o '"value":"[0-9a-f]*"'
        "$BLECTL" run Board s.ble --check-only r.ndjson; echo "status $?"
        """)
    #expect(
      result.lines.prefix(2) == ["\"value\":\"0300\"", "\"value\":\"07\""],
      "\(result.text)\(result.errorText)")
    #expect(result.lines.last == "status 0", "\(result.errorText)")
  }
}
