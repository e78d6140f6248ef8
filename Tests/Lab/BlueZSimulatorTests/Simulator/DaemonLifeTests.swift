// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite("Daemon life")
struct DaemonLifeTests {
  private let strap = BusClient.devicePath(Address.strap)

  @Test("A killed daemon says nothing and its calls end without reply")
  func killedDaemonSays() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      _ = await client.log.first { $0.path == BusClient.devicePath(Address.thermometer) }
      try await client.adapter("StopDiscovery")
      try await client.open(Address.strap)
      await bus.simulator.vanish(Address.thermometer)
      _ = await client.log.first { $0 == .added(path: strap, interfaces: ["org.bluez.Battery1"]) }
      let start = client.log.end
      let attempt = await client.beginDevice("Connect", Address.thermometer)
      try await client.barrier()
      await bus.simulator.killDaemon()
      #expect(await attempt.failure?.name == ErrorName.noReply)
      _ = await client.log.first(from: start) { $0 == .owner(name: "org.bluez", owner: "") }
      let said = client.log.events(from: start).filter {
        if case .owner = $0 { false } else { $0 != .reply("Connect") }
      }
      #expect(said.isEmpty)
      #expect(await bus.simulator.isConnected(Address.strap) == false)
    }
  }

  @Test("A daemon that comes back knows what it had stored")
  func daemonComesBack() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.piano)
      try await client.open(Address.strap)
      await bus.simulator.killDaemon()
      try await bus.simulator.startDaemon()
      let objects = try await client.managedObjects()
      #expect(objects.keys.sorted() == ["/org/bluez", "/org/bluez/hci0", strap])
      #expect(objects[strap]?["org.bluez.Device1"]?["Name"] == .string("Heart Strap"))
      try await client.connect(Address.strap)
      #expect(try await client.managedObjects()[strap + "/service0006/char0007"] != nil)
    }
  }

  @Test("An orderly stop takes everything back and the next start switches the adapter on")
  func orderlyStopTakes() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let start = client.log.end
      await bus.simulator.stopDaemon()
      let left = try #require(
        await client.log.first(from: start) { $0 == .owner(name: "org.bluez", owner: "") })
      let events = client.log.events()[start..<left]
      #expect(events.contains { $0.sets("Connected", to: .boolean(false), at: strap) })
      #expect(events.contains { $0.sets("Powered", to: .boolean(false)) })
      let removed = events.compactMap { event -> String? in
        if case .removed(let path, _) = event { path } else { nil }
      }
      #expect(removed.last == BusClient.adapterPath)
      #expect(removed.contains(strap) && removed.contains("/org/bluez"))
      try await bus.simulator.startDaemon()
      let on = await client.log.first(from: left) { $0.sets("Powered", to: .boolean(true)) }
      #expect(on != nil)
    }
  }

  @Test("A frozen daemon answers when it thaws")
  func frozenDaemonAnswers() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      // No signal of the start follows the reply.
      let early = await client.begin("GetManagedObjects", of: StandardInterface.objectManager, at: "/")
      #expect(await early.failure == nil)
      let start = client.log.end
      await bus.simulator.freeze()
      let late = await client.begin("GetManagedObjects", of: StandardInterface.objectManager, at: "/")
      let ping = await client.begin("Ping", of: StandardInterface.peer, at: "/")
      while await bus.simulator.heldCallCount < 2 { await Task.yield() }
      #expect(client.log.events()[start...].isEmpty)
      await bus.simulator.thaw()
      #expect(await late.failure == nil)
      #expect(await ping.failure == nil)
    }
  }

  @Test("A client that begins a discovery while the daemon is frozen, and leaves, has none when it thaws")
  func clientLeavesFrozenDaemon() async throws {
    try await withSimulator { bus in
      let (leaving, other) = (
        try await BusClient.connect(to: bus.address), try await BusClient.connect(to: bus.address)
      )
      await bus.simulator.freeze()
      _ = await leaving.begin("StartDiscovery", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
      while await bus.simulator.heldCallCount < 1 { await Task.yield() }
      await leaving.close()
      let late = await other.begin("GetManagedObjects", of: StandardInterface.objectManager, at: "/")
      while await bus.simulator.heldCallCount < 2 { await Task.yield() }
      await bus.simulator.thaw()
      #expect(await late.failure == nil)
      try await other.startDiscovery()
      let start = other.log.end
      try await other.adapter("StopDiscovery")
      #expect(await other.log.first(from: start, setting: "Discovering", to: .boolean(false)) != nil)
    }
  }

  @Test(
    "A killed bus ends every connection, and starts again at its address, with what the daemon has stored")
  func busComesBack() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      try await bus.simulator.perform(.daemon(.killBus))
      await #expect(throws: DBusError.self) { try await client.barrier() }
      await #expect(throws: DBusError.self) { try await BusClient.connect(to: bus.address) }
      #expect(await bus.simulator.isConnected(Address.strap) == false)
      // Without its bus, the daemon does not start.
      await #expect(throws: ControlError.self) { try await bus.simulator.perform(.daemon(.start)) }
      try await bus.simulator.perform(.daemon(.startBus))
      let later = try await BusClient.connect(to: bus.address)
      #expect(try await later.managedObjects()[strap] != nil)
      // Both are running: no effect.
      try await bus.simulator.perform(.daemon(.startBus))
      try await later.barrier()
    }
  }

  @Test("A bus that is not the simulator's own cannot be killed")
  func foreignBus() async throws {
    try await withBus { bus in
      let simulator = try await Simulator.start(world: .builtIn, on: bus.address.text)
      await #expect(throws: ControlError.self) { try await simulator.perform(.daemon(.killBus)) }
      await simulator.stop()
    }
  }

  @Test("The name can have one owner only")
  func nameCanHave() async throws {
    try await withSimulator { bus in
      await #expect(throws: SimulatorError.nameTaken) {
        _ = try await Simulator.start(world: .builtIn, on: bus.address)
      }
    }
  }

  @Test("A bus that is not there is an error")
  func busNotError() async {
    await #expect(throws: SimulatorError.self) {
      try await Simulator.start(world: .builtIn, on: "unix:path=/no/such/socket")
    }
  }

  @Test("A property can be shown with a wrong type")
  func propertyCanShown() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.overrideProperty("RSSI", of: "org.bluez.Device1", at: strap, with: .string("loud"))
      #expect(await client.log.first { $0.sets("RSSI", to: .string("loud"), at: strap) } != nil)
      #expect(try await client.get("RSSI", of: "org.bluez.Device1", at: strap) == .string("loud"))
      await bus.simulator.overrideProperty("RSSI", of: "org.bluez.Device1", at: strap, with: nil)
      #expect(await failure { try await client.get("RSSI", of: "org.bluez.Device1", at: strap) } != nil)
    }
  }

  @Test("A new peripheral is heard during a scan")
  func newPeripheralHeard() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      let address = "C4:00:00:00:00:09"
      await bus.simulator.addPeripheral(
        PeripheralSpec(address: address, advertisement: AdvertisementSpec(name: "New")))
      #expect(await client.log.first { $0.path == BusClient.devicePath(address) } != nil)
    }
  }

  @Test("A value from outside is notified")
  func valueOutsideNotified() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      _ = await client.log.first { $0 == .added(path: strap, interfaces: ["org.bluez.Battery1"]) }
      try await client.barrier()
      await bus.simulator.notify(Address.strap, BluetoothUUID(0x2A19), value: [42])
      #expect(await client.log.first { $0.sets("Percentage", to: .byte(42), at: strap) } != nil)
    }
  }
}

/// Differences between the versions that no recording of bluetoothd shows.
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
    "Bluetoothd 5.87 dies of a discovery filter with services, unless a newer one accepts everything",
    arguments: BlueZRelease.allCases, [false, true])
  func servicesInFilter(_ version: BlueZRelease, _ hasNewer: Bool) async throws {
    var world = World(
      bluez: version, peripherals: World.builtIn.peripherals.filter { $0.address == Address.thermometer })
    for index in world.peripherals.indices { world.peripherals[index].isPresent = false }
    try await withSimulator(world: world) { bus in
      let client = try await BusClient.connect(to: bus.address)
      let newer = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery(filter: [("UUIDs", .strings(["1809"]))])
      if hasNewer { try await newer.startDiscovery() }
      await bus.simulator.appear(Address.thermometer)
      let dies = version == .v5_87 && !hasNewer
      _ = await newer.log.first {
        dies
          ? $0 == .owner(name: "org.bluez", owner: "") : $0.path == BusClient.devicePath(Address.thermometer)
      }
      await newer.close()
      await client.close()
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
