// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("World files")
struct WorldFileTests {
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Mine", "services": [
      {"uuid": "180f", "characteristics": [{"uuid": "2a19", "properties": ["read"], "value": "u8:42"}]}]}]}
    """

  @Test("Every command takes a world; the word after --simulate stays what it was")
  func simulate() async throws {
    try await TemporaryFile.with(Array(Self.world.utf8)) { file in
      let own = try await Blectl().run("read", "--simulate=\(file.path)", "Mine", "2a19", "--as", "u8")
      #expect(own.text == "42\n", "\(own.errorText)")
      let builtIn = try await Blectl().run("read", "--simulate", "MI Band 2", "2a28", "--as", "utf8")
      #expect(builtIn.text == "V1.0.1.81\n", "\(builtIn.errorText)")
    }
  }

  @Test("Simulate takes a world before the command that it runs")
  func command() async throws {
    try await TemporaryFile.with(Array(Self.world.utf8)) { file in
      let result = try await Blectl().run(
        "simulate", file.path, "--", Blectl.path, "read", "C0:00:00:00:00:01", "2a19", "--as", "u8")
      #expect(result.text == "42\n", "\(result.errorText)")
    }
  }

  @Test("The board of the documentation notifies the values of its layout, and a read gives the first one")
  func layout() async throws {
    let page = RecordedFile.read(RecordedFile.path("docs/world.md")) ?? ""
    let blocks = page.split(separator: "```json\n").map {
      $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex)
    }
    let board = try #require(blocks.first { $0.contains(#""name": "Board""#) })
    let command = try #require(page.firstRange(of: "layout='")?.upperBound)
    let layout = String(page[command...].prefix { $0 != "'" })
    try await TemporaryFile.with(Array(board.utf8)) { file in
      let options = ["--as", layout, "--json", "--simulate=\(file.path)"]
      let read = try await Blectl().start(["read", "Board", "ffe1"] + options).result()
      #expect(try read.records.map { $0["decoded"]?["temp_celsius"]?.real } == [21.5], "\(read.errorText)")
      let values = try await Blectl().start(["subscribe", "Board", "ffe1", "--count", "4"] + options).result()
      let decoded = try values.records.compactMap { $0["event"]?.text == "value" ? $0["decoded"] : nil }
      #expect(decoded.map { $0["n"]?.number } == [0, 1, 2, 3], "\(values.text) \(values.errorText)")
      #expect(decoded.map { $0["state"]?.number } == [1, 1, 2, 1])
      #expect(decoded.map { $0["accel_g"]?[2]?.real } == [0.98, 0.98, 0.98, 0.98])
      #expect(decoded.allSatisfy { $0["problem"] == nil })
      // Another checksum over the same bytes is wrong.
      let wrong = try await Blectl().start(
        ["read", "Board", "ffe1", "--as", "_[13] crc16-ccitt", "--json", "--simulate=\(file.path)"]
      ).result()
      #expect(try wrong.records.first?["decoded"]?["problem"]?.text?.contains("crc16-ccitt") == true)
    }
  }

  @Test("A value that does not fit its layout is named with its place")
  func badLayout() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "services": [{"uuid": "ffe0", "characteristics": [
        {"uuid": "ffe1", "properties": ["notify"], "notifies": {"layout": "level=u8", "fields": {"level": 256}}}]}]}]}
      """
    try await TemporaryFile.with(Array(world.utf8)) { file in
      let result = try await Blectl().run("scan", "--simulate=\(file.path)")
      #expect(result.status == 64)
      #expect(
        result.errorText
          == "blectl: cannot simulate: \(file.path):2:101: /peripherals/0/services/0/characteristics/0/"
          + "notifies/fields/level: expected values of the layout: '256' is out of range: 0 to 255 (level)\n")
    }
  }

  @Test("A bad world ends with status 64 and the place, before anything is started")
  func badWorld() async throws {
    try await TemporaryFile.with(Array("{\"peripherals\": [\n  {\"adress\": 1}]}".utf8)) { file in
      let error =
        "blectl: cannot simulate: \(file.path):2:4: /peripherals/0/adress: expected a key of a peripheral, "
        + "found \"adress\": did you mean \"address\"?\n"
      for arguments in [["scan", "--simulate=\(file.path)"], ["simulate", file.path, "--", "echo", "x"]] {
        let result = try await Blectl().start(arguments).result()
        #expect(result.status == 64)
        #expect(result.errorText == error)
        #expect(result.text.isEmpty)
      }
    }
    let missing = try await Blectl().run("scan", "--simulate=/nowhere.json")
    #expect(missing.status == 64)
    #expect(missing.errorText == "blectl: cannot simulate: /nowhere.json: No such file or directory\n")
  }

  @Test("A bad world is reported once for several devices, and leaves no log")
  func badWorldOfSeveral() async throws {
    try await ToolFolder.with { folder in
      try folder.write("{\"peripherals\": 1}", to: "bad.json")
      let result = try await folder.run(
        "blectl subscribe Strap:2a37 Trainer:2ad2 --log a.csv --simulate=bad.json")
      #expect(result.status == 64, "\(result.errorText)")
      #expect(result.errorText.ranges(of: "cannot simulate").count == 1, "\(result.errorText)")
      #expect(try await folder.run("ls a.csv").status != 0)
    }
  }

  @Test("Values that a device withholds are named on stderr, and withheld by the recorded one, too")
  func withheld() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Shy", "services": [
        {"uuid": "ff00", "primary": false, "includes": ["ff10"], "characteristics": [
          {"uuid": "ff01", "properties": ["read"], "security": "encrypted"},
          {"uuid": "ff02", "properties": ["read"], "on_read": {"error": "0x85"}},
          {"uuid": "ff03", "properties": ["read"], "on_read": "stall"},
          {"uuid": "ff04", "properties": ["read", "extended-properties"], "value": "utf8:open",
           "descriptors": [{"uuid": "2900", "value": "0300"}, {"uuid": "2901", "on_read": {"error": "0x80"}}]}]},
        {"uuid": "ff10", "handle": 64}]}]}
      """
    try await TemporaryFile.with(Array(world.utf8)) { file in
      let first = try await Blectl().run("snapshot", "Shy", "--simulate=\(file.path)", "--timeout", "4s")
      #expect(first.status == 0)
      #expect(first.errorText.split(separator: "\n").count == 4, "\(first.errorText)")
      for uuid in ["ff01", "ff02", "ff03", "2901"] { #expect(first.errorText.contains(uuid)) }
      try await TemporaryFile.with(first.output) { copy in
        let second = try await Blectl().run("snapshot", "Shy", "--simulate=\(copy.path)", "--timeout", "4s")
        #expect(second.text == first.text)
        #expect(second.errorText == first.errorText)
        let tree = try await Blectl().run("services", "Shy", "--json", "--simulate=\(copy.path)").records[0]
        let services = tree["services"]?.elements ?? []
        #expect(services.map { $0["primary"]?.flag } == [false, true])
        #expect(services[0]["includes"]?[0]?.number == 64)
        let names = services[0]["characteristics"]?[3]?["properties"]?.elements.compactMap(\.text)
        #expect(names == ["read", "extended-properties", "reliable-write", "writable-auxiliaries"])
      }
    }
  }
}
