// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Names of devices")
struct NameTests {
  @Test("A pattern counts characters, not bytes, whatever the locale", arguments: ["C", "C.UTF-8"])
  func characters(locale: String) async throws {
    let world = #"{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Café"}]}"#
    try await TemporaryFile.with(Array(world.utf8), named: "world.json") { file in
      let scan = try await Blectl().run(
        "scan", "--name", "Caf?", "--count", "1", "--duration", "60s", "--json", "--simulate=\(file.path)",
        environment: ["LC_ALL": locale])
      #expect(try scan.records.map { $0["name"]?.text } == ["Café"])
      let info = try await Blectl().run(
        "info", "Caf?", "--json", "--simulate=\(file.path)", environment: ["LC_ALL": locale])
      #expect(try info.records.map { $0["name"]?.text } == ["Café"], "\(info.errorText)")
    }
  }
}
