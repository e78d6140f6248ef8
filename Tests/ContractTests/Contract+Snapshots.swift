// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Snapshots")
  struct Snapshots {
    @Test(
      "A device that is recorded, simulated and recorded again gives the same file",
      arguments: [
        ("Heart Strap", BuiltIn.strap), ("Thermometer", BuiltIn.thermometer),
        ("MI Band 2", BuiltIn.wristband),
        ("Piano", BuiltIn.piano), ("Contract Bench", BuiltIn.bench),
      ])
    func identity(_ name: String, _ address: BluetoothAddress) async throws {
      let bus = try await Stages.shared.value.address
      // A device that BlueZ has known for longer does not report the services that it advertises.
      let client = try await BusClient.connect(to: bus)
      await client.forget("\(address)")
      await client.close()
      let options = ["--timeout", "8s"]
      let recorded = try await Blectl(bus: bus).start(["snapshot", name] + options).result()
      #expect(recorded.status == 0, "\(recorded.errorText)")
      try await TemporaryFile.with(recorded.output) { file in
        let simulate = "--simulate=\(file.path)"
        let again = try await Blectl().start(["snapshot", name, simulate] + options).result()
        #expect(again.status == 0, "\(again.errorText)")
        #expect(again.text == recorded.text)
        #expect(again.errorText == recorded.errorText)
        // The tree is the same with the names of its properties, beside how BlueZ splits the world into objects.
        let tree = try await Blectl(bus: bus).run("services", name)
        #expect(try await Blectl().run("services", name, simulate).text == tree.text)
      }
    }

    @Test("A recorded device has the contents of the original")
    func content() async throws {
      let bus = try await Stages.shared.value.address
      let result = try await Blectl(bus: bus).run("snapshot", "Thermometer", "--json")
      #expect(result.status == 0, "\(result.errorText)")
      let device = try #require(try result.records.first?["peripherals"]?[0])
      #expect(device["address"]?.text == "\(BuiltIn.thermometer)")
      #expect(device["name"]?.text == "Thermometer")
      #expect(device["advertisement"]?["tx_power"]?.number == 4)
      let services =
        device["services"]?.elements.filter { ["1809", "181a"].contains($0["uuid"]?.text) } ?? []
      let values = services.flatMap { $0["characteristics"]?.elements ?? [] }
      #expect(values.map { $0["uuid"]?.text } == ["2a1c", "2a1d", "2a6e", "2a6f"])
      #expect(values.map { $0["value"]?.text } == [nil, "02", "6608", "a011"])
      #expect(values[2]["properties"]?.elements.map(\.text) == ["read", "notify"])
    }
  }
}
