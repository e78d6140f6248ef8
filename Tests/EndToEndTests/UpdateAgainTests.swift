// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Updates by Nordic's DFU that an earlier run has begun, and the choice of their devices.
@Suite("Updates that go on after an interruption", .timeLimit(.minutes(3)))
struct UpdateAgainTests {
  /// Runs a script beside the devices of a world, in a folder with firmware.
  private func run(_ script: String, _ devices: [String]) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try folder.write("{\"peripherals\": [\(devices.joined(separator: ", "))]}", to: "w.json")
      try folder.write(script, to: "script")
      return try await folder.run(
        """
        export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=/nonexistent
        blectl simulate --firmware smp >smp && blectl simulate --firmware secure-dfu >secure-dfu
        exec blectl simulate w.json -- bash script
        """)
    }
  }

  private static func strap(_ number: Int, _ dfu: String = "", _ more: String = "") -> String {
    """
    {"address": "C0:00:00:00:00:\(number)0", "name": "Strap \(number)", "mtu": 23\(more),
     "dfu": {"kind": "secure", "version": "1.0.0"\(dfu)}}
    """
  }

  private static let slow = #", "link": {"packet_time": "30ms"}"#

  @Test("A rack whose update was killed is found in its bootloaders by the same command")
  func killedRack() async throws {
    let result = try await run(
      """
      blectl update 'Strap *' secure-dfu --all --json >first 2>/dev/null &
      until [ "$(grep '"stage":"transferring"' first | grep -o 'C0:[0-9:]*0",' | sort -u | wc -l)" = 3 ]; do sleep 0.1; done
      kill -KILL $!; wait $! 2>/dev/null
      ls state/blectl/updates | wc -l
      blectl update 'Strap *' secure-dfu --all --count 3 --json | grep '"updated"'
      """, (1...3).map { Self.strap($0, "", Self.slow) })
    #expect(result.lines.first == "3", "\(result.text)\(result.errorText)")
    let updated = try JSONRecord.parse(Array(result.lines.dropFirst()))
    #expect(
      updated.compactMap { $0["address"]?.text }.sorted() == (1...3).map { "C0:00:00:00:00:\($0)0" },
      "\(result.text)\(result.errorText)")
    #expect(updated.allSatisfy { $0["to"]?.text == "2.0.0" }, "\(result.text)")
  }

  @Test(
    "A device that was about to start its bootloader is found when that runs", arguments: ["INT", "KILL"])
  func beforeBootloader(signal: String) async throws {
    let result = try await run(
      """
      blectl update 'Strap 1' secure-dfu --json >first & until grep -q '"stage":"waiting"' first; do sleep 0.05; done
      kill -\(signal) $!; wait $! 2>/dev/null
      blectl update 'Strap 1' secure-dfu --json | tail -1
      """, [Self.strap(1, #", "restart_time": "2s""#)])
    if signal == "INT" {
      #expect(
        result.errorText.contains(
          "interrupted: no firmware was sent, but the device was told to start its bootloader\nhint: the same command"
        ), "\(result.errorText)")
    }
    let record = try #require(try JSONRecord.parse(result.lines).last, "\(result.errorText)")
    #expect(record["event"]?.text == "updated" && record["to"]?.text == "2.0.0", "\(result.text)")
    #expect(record["address"]?.text == "C0:00:00:00:00:10", "\(result.text)")
  }

  @Test(
    "A bootloader that an earlier run has left can be updated by its own name and address",
    arguments: ["transferring", "waiting"], ["DfuTarg", "C0:00:00:00:00:11"])
  func byBootloader(stage: String, device: String) async throws {
    let result = try await run(
      """
      blectl update 'Strap 1' secure-dfu --json >first & until grep -q '"stage":"\(stage)"' first; do sleep 0.05; done
      kill -KILL $!; wait $! 2>/dev/null
      blectl update \(device) secure-dfu --json | tail -1
      ls state/blectl/updates
      """, [Self.strap(1, #", "buttonless": "experimental""#, Self.slow)])
    let record = try #require(try JSONRecord.parse(result.lines).first, "\(result.errorText)")
    #expect(record["event"]?.text == "updated" && record["to"]?.text == "2.0.0", "\(result.text)")
    #expect(record["current_address"]?.text == "C0:00:00:00:00:10", "\(result.text)")
    #expect(result.lines.count == 1, "\(result.text)")
  }

  @Test(
    "A device in its bootloader is one of those that a pattern matches; a refused one is said to be there",
    arguments: ["next", "same"])
  func ambiguous(address: String) async throws {
    let result = try await run(
      """
      blectl update 'Strap 1' secure-dfu 2>/dev/null; echo "status $?" # It is found in its bootloader now.
      blectl update 'Strap 1' secure-dfu; echo "status $?"
      blectl update 'Strap*' secure-dfu; echo "status $?"
      blectl update 'Strap 2' secure-dfu; echo "status $?"
      """,
      [Self.strap(1, #", "address": "\#(address)", "faults": {"refuse_init": 5}"#), Self.strap(2)])
    #expect(result.lines == ["status 1", "status 1", "status 4", "status 0"], "\(result.errorText)")
    #expect(
      result.errorText.contains(
        "\n  the device is still in its bootloader, which starts the former firmware after a while, if it has kept that\n"
          + "hint: an update with another file finds the device there"),
      "\(result.errorText)")
    #expect(
      result.errorText.contains(
        "'Strap*' matches 2 devices\n  C0:00:00:00:00:10 Strap 1\n  C0:00:00:00:00:20 Strap 2\n"),
      "\(result.errorText)")
  }

  @Test("A stale note hides no device whose address was once that of a bootloader, and doubles none")
  func staleNote() async throws {
    let note = #"{"address": "C0:00:00:00:00:10", "name": "Strap 1", "bootloader": "C0:00:00:00:00:20"}"#
    let result = try await run(
      """
      note() { mkdir -p state/blectl/updates && echo '\(note)' >state/blectl/updates/C0-00-00-00-00-10; }
      note; blectl update 'Strap 1' secure-dfu --json | tail -1
      note; blectl update C0:00:00:00:00:10 secure-dfu --json | tail -1
      note; blectl update 'Strap*' secure-dfu --all --count 2 --json | grep '"updated"'
      ls state/blectl/updates
      """, (1...2).map { Self.strap($0, #", "address": "same""#) })
    let records = try JSONRecord.parse(result.lines)
    #expect(
      records.map { $0["event"]?.text } == Array(repeating: "updated", count: 4),
      "\(result.text)\(result.errorText)")
    #expect(records.allSatisfy { $0["to"]?.text == "2.0.0" }, "\(result.text)")
    let addresses = records.compactMap { $0["address"]?.text }
    #expect(addresses.prefix(2) == ["C0:00:00:00:00:10", "C0:00:00:00:00:10"], "\(addresses)")
    #expect(addresses.dropFirst(2).sorted() == ["C0:00:00:00:00:10", "C0:00:00:00:00:20"], "\(addresses)")
  }

  @Test(
    "A device that could not be told to start its bootloader is not said to have been, and leaves no note")
  func untold() async throws {
    let result = try await run(
      """
      blectl update 'Strap 1' secure-dfu; echo "status $?"
      blectl update 'Strap 2' secure-dfu --json >second & until grep -q '"stage":"jumping"' second; do sleep 0.05; done
      kill -INT $!; wait $!
      ls state/blectl/updates 2>/dev/null
      """,
      [
        Self.strap(1, #", "buttonless": "bonded""#, #", "pairing": {"capability": "none"}"#),
        Self.strap(2, "", #", "link": {"packet_time": "200ms"}"#),
      ])
    #expect(result.lines == ["status 1"], "\(result.text)\(result.errorText)")
    #expect(result.errorText.contains("the device requires pairing\nhint: "), "\(result.errorText)")
    #expect(result.errorText.contains("interrupted: nothing was sent\n"), "\(result.errorText)")
  }

  @Test("More devices than are wanted are an error, before any is changed")
  func tooMany() async throws {
    let result = try await run(
      "blectl update 'Strap *' secure-dfu --all --count 2 --json", (1...4).map { Self.strap($0) })
    #expect(result.status == 4 && result.text.isEmpty, "\(result.text)")
    #expect(result.errorText.contains("there are more than 2 devices"), "\(result.errorText)")
  }

  @Test(
    "Options of MCUboot are refused for other bootloaders",
    arguments: [
      ("secure-dfu --confirm now", "--confirm now has no meaning for Secure DFU"),
      ("secure-dfu --confirm never", "--confirm never has no meaning for Secure DFU"),
      ("secure-dfu --image 0", "--image has no meaning for Secure DFU"),
    ])
  func meaningless(words: String, message: String) async throws {
    let result = try await run("blectl update 'Strap 1' \(words)", [Self.strap(1)])
    #expect(result.status == 64 && result.errorText.contains(message), "\(result.errorText)")
  }
}
