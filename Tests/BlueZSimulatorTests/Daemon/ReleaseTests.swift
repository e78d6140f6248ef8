// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// What differs between the versions, as far as no recording of bluetoothd shows it.
@Suite("Versions of BlueZ")
struct ReleaseTests {
  private let device = "org.bluez.Device1"

  private func with(
    _ version: BlueZRelease, _ body: (BusClient, SimulatedBus) async throws -> Void
  ) async throws {
    var world = World.builtIn
    world.bluez = version
    try await withSimulator(world: world) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await body(client, bus)
      await client.close()
    }
  }

  @Test("An adapter says which version it belongs to", arguments: BlueZRelease.allCases)
  func name(_ version: BlueZRelease) async throws {
    try await with(version) { client, _ in
      let name = try await client.get("Name", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
      #expect(name == .string("BlueZ \(version.rawValue)"))
    }
  }

  @Test(
    "The services that BlueZ uses itself are hidden, or can only be read", arguments: BlueZRelease.allCases)
  func claimedServices(_ version: BlueZRelease) async throws {
    try await with(version) { client, _ in
      try await client.open(Address.strap)
      let path = BusClient.devicePath(Address.strap) + "/service0001/char0002"
      let objects = try await client.managedObjects()
      guard version >= .v5_82 else {
        #expect(objects[path] == nil)
        return
      }
      #expect(objects[path]?["org.bluez.GattCharacteristic1"]?["Handle"] == .uint16(2))
      let refusal = await client.failure("WriteValue", of: "org.bluez.GattCharacteristic1", at: path) {
        $0.bytes([1])
        $0.properties([])
      }
      #expect(refusal?.name == "org.bluez.Error.NotAuthorized")
    }
  }

  @Test(
    "CancelPairing of a paired device that is not being paired ends its link",
    arguments: BlueZRelease.allCases)
  func needlessCancelling(_ version: BlueZRelease) async throws {
    try await with(version) { client, bus in
      let agent = try await BusAgent.register(on: bus.address, "NoInputNoOutput")
      try await agent.client.open(Address.strap)
      try await agent.client.device("Pair", Address.strap)
      let start = client.log.end
      let path = BusClient.devicePath(Address.strap)
      let refusal = await client.failure("CancelPairing", of: device, at: path)
      #expect(refusal?.name == "org.bluez.Error.DoesNotExist")
      _ = await client.log.first(from: start) { $0.sets("Connected", to: .boolean(false), at: path) }
      let isPaired = try await client.get("Paired", of: device, at: path)
      #expect(isPaired == .boolean(true))
      await agent.client.close()
    }
  }
}
