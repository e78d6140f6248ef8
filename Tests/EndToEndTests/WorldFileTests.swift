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
