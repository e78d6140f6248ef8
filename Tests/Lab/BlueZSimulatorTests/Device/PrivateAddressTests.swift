// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import TestSupport
internal import TestWorlds
internal import Testing

/// A peripheral that changes its private address, as bluetoothd sees it without a bond.
@Suite("Changes of a private address")
struct PrivateAddressTests {
  private static let own = "C8:0F:10:00:00:01"
  private static let addresses = ["70:81:94:0D:FB:AA", "5B:A2:11:B8:1C:FD"]
  private static let paths = (addresses + [own]).map { BusClient.devicePath($0) }

  /// Runs a test with a phone that was heard behind the first of the addresses.
  private func withPhone(_ body: (Simulator, BusClient) async throws -> Void) async throws {
    let phone = PeripheralSpec(
      address: Self.own, privateAddress: Self.addresses[0],
      advertisement: AdvertisementSpec(name: "Phone", interval: .milliseconds(10)))
    try await withSimulator(world: World(peripherals: [phone])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      #expect(await client.log.first { $0.path == Self.paths[0] } != nil)
      try await body(bus.simulator, client)
    }
  }

  private func paths(_ client: BusClient) async throws -> [String] {
    try await client.managedObjects().keys.filter { Self.paths.contains($0) }.sorted()
  }

  @Test("Each address is a device of its own, and the former one stays for a while")
  func objects() async throws {
    try await withPhone { simulator, client in
      await simulator.changeAddress(Self.own, to: Self.addresses[1])
      #expect(await client.log.first { $0.path == Self.paths[1] } != nil)
      let two = try await paths(client)
      #expect(two == [Self.paths[1], Self.paths[0]])
      await simulator.changeAddress(Self.own, to: nil)
      #expect(await client.log.first { $0.path == Self.paths[2] } != nil)
      let three = try await paths(client)
      #expect(three == Self.paths.sorted())
    }
  }

  @Test(
    "Only the address that the device sends now can be connected to, and a former one again when it returns")
  func connecting() async throws {
    try await withPhone { simulator, client in
      await simulator.changeAddress(Self.own, to: Self.addresses[1])
      #expect(await client.log.first { $0.path == Self.paths[1] } != nil)
      let attempt = await client.beginDevice("Connect", Self.addresses[0])
      try await client.connect(Self.addresses[1])
      #expect(
        !client.log.events().contains { $0.path == Self.paths[0] && $0.sets("Connected", to: .boolean(true)) }
      )
      try await client.device("Disconnect", Self.addresses[1])
      await simulator.changeAddress(Self.own, to: Self.addresses[0])
      #expect(await attempt.failure == nil)
      #expect(
        client.log.events().contains { $0.path == Self.paths[0] && $0.sets("Connected", to: .boolean(true)) })
    }
  }
}
