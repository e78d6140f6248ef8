// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite struct RemovalTests {
  private let path = BusClient.devicePath(Address.strap)

  @Test func removingAConnectedDeviceDisconnectsItFirstAndTakesItAwayBottomUp() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let start = client.log.end
      try await client.adapter("RemoveDevice") { $0.objectPath(path) }
      let device = BusEvent.removed(
        path: path,
        interfaces: [StandardInterface.properties, StandardInterface.introspectable, "org.bluez.Device1"])
      _ = await client.log.first(from: start) { $0 == device }
      let events = client.log.events(from: start)
      let reply = try #require(events.firstIndex(of: .reply("RemoveDevice")))
      let end = events.firstIndex { $0.sets("Connected", to: .boolean(false)) }
      let unlinked = try #require(end)
      #expect(reply < unlinked)
      let gone = events[unlinked...].compactMap { event -> String? in
        if case .removed(let gone, _) = event { String(gone.dropFirst(path.count)) } else { nil }
      }
      #expect(
        gone == [
          "/service0006/char0007/desc0009", "/service0006/char0007", "/service0006/char000a",
          "/service0006/char000c", "/service0006", "/service000e/char000f/desc0011", "/service000e/char000f",
          "/service000e", "/service0012/char0013", "/service0012/char0015", "/service0012", "",
        ])
    }
  }

  @Test func aRemovedDeviceIsUnknownAndCanBeFoundAgain() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      try await client.adapter("RemoveDevice") { $0.objectPath(path) }
      #expect(
        await failure { try await client.device("Connect", Address.strap) }?.name == ErrorName.unknownObject)
      try await client.open(Address.strap)
    }
  }

  @Test func anAttemptOnADeviceThatIsRemovedIsNeverAnswered() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.vanish(Address.strap)
      let attempt = await client.beginDevice("Connect", Address.strap)
      try await client.adapter("RemoveDevice") { $0.objectPath(path) }
      try await client.barrier()
      #expect(!client.log.events().contains(.reply("Connect")))
      attempt.cancel()
      #expect(await attempt.failure?.origin == .cancelled)
    }
  }

  @Test func aPrivateAddressStaysTemporaryEvenWhenConnected() async throws {
    var timing = SimulatorTiming.brisk
    timing.temporaryDevice = .milliseconds(300)
    let address = "4A:00:00:00:00:01"
    let phone = PeripheralSpec(
      address: address, advertisement: AdvertisementSpec(name: "Phone", interval: .milliseconds(10)))
    try await withSimulator(world: World(peripherals: [phone]), timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      let path = BusClient.devicePath(address)
      try await client.startDiscovery()  // being heard keeps it from being forgotten
      _ = await client.log.first { $0.path == path }
      try await client.connect(address)
      try await client.device("Disconnect", address)
      try await client.adapter("StopDiscovery")
      let removed = await client.log.first { event in
        if case .removed(path, _) = event { true } else { false }
      }
      #expect(removed != nil)
    }
  }
}
