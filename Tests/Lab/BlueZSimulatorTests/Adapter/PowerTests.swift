// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite("Power")
struct PowerTests {
  private let adapter = "org.bluez.Adapter1"

  private func setPowered(_ isOn: Bool, _ client: BusClient) async throws(DBusError) {
    try await client.set("Powered", of: adapter, at: BusClient.adapterPath, to: .boolean(isOn))
  }

  private func beginOff(_ client: BusClient) async -> Task<Result<Message, DBusError>, Never> {
    await client.begin("Set", of: StandardInterface.properties, at: BusClient.adapterPath) {
      $0.string(adapter)
      $0.string("Powered")
      $0.value(.variant(.boolean(false)))
    }
  }

  @Test("Switching off ends everything and is signalled last")
  func switchingOffEnds() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      try await client.startDiscovery()
      _ = await client.log.first { $0.path == BusClient.devicePath(Address.ruuviTag) }
      let start = client.log.end
      try await setPowered(false, client)
      _ = await client.log.first(from: start) { $0.sets("Powered", to: .boolean(false)) }
      let events = client.log.events(from: start)
      let reply = try #require(events.firstIndex(of: .reply("Set")))
      let off = events.firstIndex { $0.sets("Powered", to: .boolean(false)) }
      let told = try #require(off)
      #expect(reply < told)
      #expect(events[told].sets("Discovering", to: .boolean(false)))
      let strap = BusClient.devicePath(Address.strap)
      let unlinked = events.firstIndex { $0.sets("Connected", to: .boolean(false), at: strap) }
      #expect(try #require(unlinked) < reply)
      let devices = try await client.managedObjects().keys.filter {
        $0.contains("/dev_") && !$0.contains("/service")
      }
      #expect(devices == [strap])
    }
  }

  @Test("An adapter that is off refuses in the words of the daemon")
  func adapterOffRefuses() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      try await setPowered(false, client)
      for member in ["StartDiscovery", "StopDiscovery"] {
        #expect(await failure { try await client.adapter(member) }?.line == "NotReady Resource Not Ready")
      }
      #expect(await failure { try await client.setFilter([]) }?.line == "NotReady Resource Not Ready")
      #expect(
        await failure { try await client.adapter("RemoveDevice") { $0.objectPath("/nowhere") } }?.line
          == "DoesNotExist Does Not Exist")
      #expect(
        await failure {
          try await client.adapter("RemoveDevice") { $0.objectPath(BusClient.devicePath(Address.strap)) }
        }?.line == "NotReady Resource Not Ready")
      #expect(
        await failure { try await client.device("Connect", Address.strap) }?.line
          == "Failed Input/output error")
      #expect(
        await failure {
          try await client.set("Discoverable", of: adapter, at: BusClient.adapterPath, to: .boolean(true))
        }?.line == "Failed Not Powered")
    }
  }

  @Test("A scan does not come back with the power")
  func scanDoesNot() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      try await setPowered(false, client)
      try await setPowered(true, client)
      #expect(
        await failure { try await client.adapter("StopDiscovery") }?.line == "Failed No discovery started")
    }
  }

  @Test("An adapter blocked by rfkill cannot be switched on")
  func adapterBlockedRfkill() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      await bus.simulator.setBlocked(true)
      _ = await client.log.first { $0.sets("Powered", to: .boolean(false)) }
      #expect(await failure { try await setPowered(true, client) }?.line == "Blocked Blocked through rfkill")
      await bus.simulator.setBlocked(false)
      try await setPowered(true, client)
    }
  }

  @Test("A change that is under way refuses another")
  func changeUnderWay() async throws {
    var timing = SimulatorTiming.brisk
    timing.power = .milliseconds(100)
    try await withSimulator(timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      let first = await beginOff(client)
      let second = await beginOff(client)
      #expect(await second.failure?.line == "Busy ")
      #expect(await first.failure == nil)
    }
  }

  @Test("Unplugging takes the adapter and all below")
  func unpluggingTakesAdapter() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      await bus.simulator.removeAdapter()
      let gone = await client.log.first { event in
        if case .removed(BusClient.adapterPath, let names) = event { names.contains(adapter) } else { false }
      }
      #expect(gone != nil)
      #expect(try await client.managedObjects().keys.sorted() == ["/org/bluez"])
      await bus.simulator.addAdapter()
      #expect(await client.log.first(from: try #require(gone)) { $0.path == BusClient.adapterPath } != nil)
      let objects = try await client.managedObjects()
      #expect(objects[BusClient.devicePath(Address.strap)]?["org.bluez.Device1"] != nil)
    }
  }
}
