// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Devices that give some of their values and withhold others.
@Suite("Values that are withheld")
struct WithheldValueTests {
  /// Of four values one is never sent, and one refused.
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [{"uuid": "180f",
      "characteristics": [
        {"uuid": "2a19", "value": "57", "properties": ["read"]},
        {"uuid": "2a06", "value": "00", "properties": ["read"], "on_read": "stall"},
        {"uuid": "2a07", "value": "00", "properties": ["read"], "faults": [{"do": "att-error", "code": "0x85"}]},
        {"uuid": "2a1e", "value": "01", "properties": ["read"]}]}]}]}
    """
  private static let silent = "no answer before the timeout"
  private static let refused = "the device refuses (ATT 0x85 application error)"

  private func run(_ arguments: String..., terminal: Bool = false) async throws -> ToolResult {
    try await TemporaryFile.with(Array(Self.world.utf8), named: "world.json") { file in
      let words = arguments + ["--simulate=\(file.path)", "--timeout", "3s"]
      return terminal ? try await Blectl().onTerminal(words) : try await Blectl().start(words).result()
    }
  }

  @Test("Services --read prints the values that there are, each error on stderr, and ends with status 5")
  func tree() async throws {
    let result = try await run("services", "Lamp", "--read")
    #expect(result.status == 5)
    let values = result.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false)[4] }
    #expect(values == ["", "57", "", "", "01"])
    #expect(
      result.errorText.split(separator: "\n") == [
        "blectl: cannot read 2a06 of Lamp: \(Self.silent)",
        "blectl: cannot read 2a07 of Lamp: \(Self.refused)",
        "blectl: cannot read 2 of 4 values of Lamp",
        "hint: use a longer --timeout, or move closer to the device",
      ])
  }

  @Test("On a terminal an error stands in the tree, in the place of the value")
  func terminalTree() async throws {
    let result = try await run("services", "Lamp", "--read", terminal: true)
    #expect(result.status == 5)
    #expect(result.text.contains("cannot be read: \(Self.silent)"))
    #expect(result.text.contains("87 %"))
  }

  @Test("In the JSON tree an error has keys of its own, beside values that are unchanged")
  func jsonTree() async throws {
    let result = try await run("services", "Lamp", "--read", "--json")
    #expect(result.status == 5)
    let services = try #require(result.records.first?["services"]?.elements)
    let characteristics = try #require(services.first?["characteristics"]?.elements)
    #expect(characteristics.map { $0["value"]?.text } == ["57", nil, nil, "01"])
    #expect(characteristics.map { $0["error"]?.text } == [nil, Self.silent, Self.refused, nil])
    #expect(characteristics.map { $0["att_error"]?.number } == [nil, nil, 0x85, nil])
  }

  @Test("Services --read --pair prints the values behind one for which the pairing fails")
  func unpaired() async throws {
    let lamp = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "pairing":
        {"capability": "display-only", "mitm": "required", "passkey": "042017"}, "services": [
        {"uuid": "ffe0", "characteristics": [
          {"uuid": "ffe1", "value": "57", "properties": ["read"]},
          {"uuid": "ffe2", "value": "58", "properties": ["read"], "security": "authenticated"},
          {"uuid": "ffe3", "value": "59", "properties": ["read"]}]}]}]}
      """
    let result = try await TemporaryFile.with(Array(lamp.utf8), named: "world.json") { file in
      try await Blectl().start(["services", "Lamp", "--read", "--pair", "--simulate=\(file.path)"]).result()
    }
    #expect(result.status == 1)
    let values = result.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false)[4] }
    #expect(values == ["", "57", "", "59"])
    #expect(result.errorText.contains("cannot read 1 of 3 values of Lamp"))
  }

  @Test("Read goes on behind a value that is refused, and ends with status 1")
  func refusedRead() async throws {
    let result = try await run("read", "Lamp", "2a19", "2a07", "2a1e")
    #expect(result.status == 1)
    #expect(result.lines == ["2a19\t57", "2a1e\t01"])
    #expect(
      result.errorText.split(separator: "\n") == [
        "blectl: cannot read 2a07 of Lamp: \(Self.refused)",
        "blectl: cannot read 1 of 3 values of Lamp",
      ])
  }

  @Test("Read --json puts a record into the place of a value that never comes")
  func silentRead() async throws {
    let result = try await run("read", "Lamp", "2a06", "2a19", "--json")
    #expect(result.status == 5)
    let records = try result.records
    #expect(records.map { $0["event"]?.text } == ["error", "value"])
    #expect(records.map { $0["error"]?.text } == [Self.silent, nil])
    #expect(records.map { $0["value"]?.text } == [nil, "57"])
  }

  @Test("Read --json prints the error of a single value, too")
  func singleRead() async throws {
    let result = try await run("read", "Lamp", "2a07", "--json")
    #expect(result.status == 1)
    let records = try result.records
    #expect(records.map { $0["event"]?.text } == ["error"])
    #expect(records.map { $0["att_error"]?.number } == [0x85])
    #expect(result.errorText == "blectl: cannot read 2a07 of Lamp: \(Self.refused)\n")
  }

  @Test("A value that does not fit --as is an error, not a line of output")
  func misfit() async throws {
    let text = try await run("read", "Lamp", "2a19", "--as", "u16")
    #expect(text.status == 1)
    #expect(text.text.isEmpty)
    #expect(text.errorText == "blectl: cannot show 2a19 of Lamp as u16: 57 is 1 byte\n")
    let several = try await run("read", "Lamp", "2a19", "2a1e", "--as", "u16")
    #expect(several.status == 1)
    #expect(several.errorText.hasSuffix("cannot print 2 of 2 values of Lamp\n"))
    let json = try await run("read", "Lamp", "2a19", "--as", "u16", "--json")
    #expect(json.status == 1)
    #expect(try json.records.map { $0["value"]?.text } == ["57"])
  }

  @Test("With --json, --as adds the formatted value")
  func formatted() async throws {
    let result = try await run("read", "Lamp", "2a19", "--as", "u8", "--json")
    #expect(result.status == 0)
    #expect(try result.records.map { $0["formatted"]?.text } == ["87"])
    let stream = try await Blectl().run(
      "subscribe", "Heart Strap", "2a37", "--as", "hex", "--count", "1", "--json", "--simulate")
    let value = try #require(try stream.records.first { $0["event"]?.text == "value" })
    #expect(value["formatted"]?.text == value["value"]?.text)
    #expect(value["name"]?.text == "Heart Strap")
  }
}
