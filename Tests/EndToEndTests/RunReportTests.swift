// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `run` on many devices, and what it leaves behind for other programs.
@Suite("run: devices under test and records")
struct RunReportTests {
  /// Devices that answer 01 with a1; the 7th answers ff.
  private static let bench: String = {
    let devices = (0..<20).map { index in
      let digits = String(index + 0x100, radix: 16).suffix(2).uppercased()
      return """
        {"address": "C0:00:00:00:01:\(digits)", "name": "DUT \(index)", "services": [{"uuid": "ffe0",
          "characteristics": [{"uuid": "ffe2", "properties": ["notify"]},
            {"uuid": "ffe3", "properties": ["write"], "on_write": {"answers": [
              {"request": "01", "response": "\(index == 7 ? "ff" : "a1")", "from": "ffe2"}]}}]}]}
        """
    }
    return "{\"peripherals\": [\(devices.joined(separator: ",\n"))]}"
  }()

  private static let script = "subscribe ffe2\nwrite ffe3 01\nexpect ffe2 a1 --within 10s\n"

  @Test("Of twenty devices at once, exactly the faulty one fails, and the report says so")
  func devicesUnderTest() async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.bench, to: "bench.json")
      try folder.write(Self.script, to: "dut.ble")
      let result = try await folder.run(
        "blectl run 'DUT *' dut.ble --all --jobs 4 --junit report.xml --simulate=bench.json")
      #expect(result.status == 1)
      #expect(result.lines.count == 20)
      #expect(Set(result.lines.map { $0.prefix(17) }).count == 20)
      #expect(result.lines.filter { $0.hasSuffix("\tff") }.map { $0.prefix(17) } == ["C0:00:00:00:01:07"])
      let errors = result.errorText.split(separator: "\n").map(String.init)
      #expect(
        errors.suffix(2) == [
          "blectl: cannot complete the script on 1 of 20 devices",
          "  C0:00:00:00:01:07: dut.ble:3: cannot get a1 from ffe2 within 10s: the value was ff",
        ])
      let report = try #require(RecordedFile.read("\(folder.path)/report.xml"))
      #expect(report.contains(#"<testsuites name="dut.ble" tests="60" failures="1" errors="0""#))
      #expect(report.split(separator: "\n").count { $0.contains("<testsuite name=") } == 20)
    }
  }

  @Test("A record can be checked again, and a change of the script shows")
  func records() async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.bench, to: "bench.json")
      try folder.write(Self.script, to: "dut.ble")
      let made = try await folder.run(
        "blectl run 'DUT 3' dut.ble --record a.ndjson --simulate=bench.json")
      #expect(made.status == 0, "\(made.errorText)")
      let record = try #require(RecordedFile.read("\(folder.path)/a.ndjson"))
      let events = record.split(separator: "\n").compactMap {
        $0.split(separator: "\"").dropFirst(2).first.map(String.init)
      }
      #expect(events.count == 4, "\(record)")
      #expect(record.contains(#""event":"written""#) && record.contains(#""value":"a1""#))

      let checked = try await folder.run("blectl run 'DUT 3' dut.ble --check-only a.ndjson")
      #expect(checked.status == 0, "\(checked.errorText)")
      try folder.write(Self.script.replacing("a1", with: "a2"), to: "other.ble")
      let other = try await folder.run("blectl run 'DUT 3' other.ble --check-only a.ndjson")
      #expect(other.status == 1)
      #expect(
        other.errorText.hasPrefix(
          "blectl: other.ble:3: cannot get a2 from ffe2: the record has no such value; the last other value is a1"
        ))
      try folder.write(Self.script.replacing("01", with: "02"), to: "write.ble")
      let write = try await folder.run("blectl run 'DUT 3' write.ble --check-only a.ndjson")
      #expect(write.errorText.contains("cannot write 02 to ffe3: the record has 01 there"))
      let absent = try await folder.run("blectl run 'DUT 4' dut.ble --check-only a.ndjson")
      #expect(absent.status == 4)
      let again = try await folder.run("blectl run 'DUT 3' dut.ble --record a.ndjson --simulate=bench.json")
      #expect(again.status == 64)
      #expect(
        again.errorText == "blectl: cannot record to a.ndjson: it exists\nhint: give --record another name\n")
    }
  }

  @Test("A record is a log that a simulated device can play again")
  func replay() async throws {
    try await ToolFolder.with { folder in
      try folder.write("subscribe 2a37\nexpect 2a37 heart_rate_bpm = 62\n", to: "heart.ble")
      let made = try await folder.run("blectl run 'Heart Strap' heart.ble --record a.ndjson --simulate")
      #expect(made.status == 0, "\(made.errorText)")
      try folder.write(
        """
        {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Copy", "services": [{"uuid": "180d",
          "characteristics": [{"uuid": "2a37", "properties": ["notify"], "notifies": {"replay": "a.ndjson"}}]}]}]}
        """, to: "copy.json")
      let played = try await folder.run("blectl run Copy heart.ble --simulate=copy.json")
      #expect(played.status == 0, "\(played.errorText)")
    }
  }

  @Test(
    "What is no record is an error with its line",
    arguments: [
      ("", "cannot check a.ndjson: it contains no records"),
      (
        "{\"event\":\"value\",\"address\":\"C0:00:00:00:00:01\"}\n",
        "cannot check a.ndjson: line 1 is not a record of 'run --record'"
      ),
      ("{}\n", "cannot check a.ndjson: line 1 is not a record of 'run --record'"),
    ])
  func badRecords(_ text: String, _ expected: String) async throws {
    try await ToolFolder.with { folder in
      try folder.write(text, to: "a.ndjson")
      try folder.write(Self.script, to: "dut.ble")
      let result = try await folder.run("blectl run X dut.ble --check-only a.ndjson")
      #expect(result.status == 64)
      #expect(result.errorText == "blectl: \(expected)\n")
    }
  }
}
