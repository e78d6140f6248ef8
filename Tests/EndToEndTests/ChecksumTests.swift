// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Values whose own checksum is wrong: nothing trusts their fields, and every output marks them.
@Suite("Wrong checksums")
struct ChecksumTests {
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Attic", "services": [
      {"uuid": "fff0", "characteristics": [
        {"uuid": "fff1", "properties": ["read", "notify"], "value": "9911ffff",
         "notifies": {"list": ["66088b3d", "9911ffff"], "every": "100ms"}}]}]}]}
    """

  private static let profile = """
    {"characteristics": [{"uuid": "fff1", "name": "climate", "layout": "temp=i16*0.01°C crc16-ccitt"}]}
    """

  private static let problem = "the crc16-ccitt is ffff, and should be 6cbd"

  private func inFolder(_ line: String) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try folder.write(Self.world, to: "w.json")
      try folder.write(Self.profile, to: "p.json")
      return try await folder.run("export BLECTL_PROFILE=p.json; " + line)
    }
  }

  @Test("An expectation of a field is not met, and the failure says why")
  func expectation() async throws {
    let result = try await inFolder(
      "echo 'expect climate temp > 40 --read' | blectl run Attic --simulate=w.json")
    #expect(result.status == 1)
    #expect(
      result.errorText.contains("the value was 9911ffff, whose checksum is wrong: \(Self.problem)"),
      "\(result.errorText)")
  }

  @Test("A condition does not hold, and the end says how many there were")
  func condition() async throws {
    let result = try await inFolder(
      "blectl subscribe Attic climate --when 'temp > 40' --count 4 --json --simulate=w.json")
    #expect(try result.records.allSatisfy { $0["event"]?.text != "alarm" }, "\(result.text)")
    #expect(
      result.errorText
        == "blectl: 2 of 4 values have a wrong checksum; alarms and averages leave such values out\n")
  }

  @Test("Read says how many there were, once")
  func read() async throws {
    let result = try await inFolder("blectl read Attic climate --every 10ms --count 2 --simulate=w.json")
    #expect(result.status == 0 && result.lines.count == 2)
    #expect(result.errorText == "blectl: 2 of 2 values have a wrong checksum\n")
    let logged = try await inFolder("blectl read Attic climate --log a.csv --simulate=w.json")
    #expect(logged.errorText.matches(of: /checksum/).count == 1, "\(logged.errorText)")
  }

  @Test("An average leaves them out")
  func average() async throws {
    let result = try await inFolder(
      "blectl subscribe Attic climate --every 1s --average --count 1 --json --simulate=w.json")
    let average = try #require(try result.records.first { $0["event"]?.text == "average" })
    #expect(average["decoded"]?["temp_celsius"]?.real == 21.5, "\(result.text)")
    #expect(average["decoded"]?["maximum_temp_celsius"]?.real == 21.5)
  }

  @Test("Tables have a column, and points a field, that say what is wrong")
  func logs() async throws {
    let result = try await inFolder(
      "blectl subscribe Attic climate --count 2 --log a.csv --log influx:a.txt --simulate=w.json >&2; cat a.csv a.txt"
    )
    let lines = result.text.split(whereSeparator: \.isNewline)
    #expect(lines.first?.hasSuffix(",temp_celsius,problem,name") == true, "\(result.text)")
    #expect(lines.contains { $0.hasSuffix(",21.50,,Attic") }, "\(result.text)")
    #expect(lines.contains { $0.hasSuffix(",45.05,\"\(Self.problem)\",Attic") }, "\(result.text)")
    let points = lines.filter { $0.hasPrefix("bluetooth,") }
    #expect(points.map { $0.contains("problem=\"\(Self.problem)\"") } == [false, true], "\(result.text)")
  }
}
