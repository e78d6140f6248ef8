// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite("Connection")
struct ConnectionTests {
  private let path = BusClient.devicePath(Address.strap)

  @Test("Connecting signals the link, replies, shows the attributes, and reports them as resolved")
  func connectingTellsLink() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      let start = client.log.end
      try await client.connect(Address.strap)
      _ = await client.log.first { $0 == .added(path: path, interfaces: ["org.bluez.Battery1"]) }
      let events = client.log.events(from: start).filter { $0 != .reply("GetManagedObjects") }
      let steps = events.map { event -> String in
        switch event {
        case .added(let added, let interfaces):
          added == path ? interfaces.joined() : "+" + added.dropFirst(path.count)
        case .changed(_, _, let values, _): values.keys.sorted().joined(separator: " ")
        case .reply(let name): name
        case .removed, .owner: "?"
        }
      }
      #expect(
        steps == [
          "Connected", "Connect", "+/service0006", "+/service0006/char0007",
          "+/service0006/char0007/desc0009",
          "+/service0006/char000a", "+/service0006/char000c", "+/service000e", "+/service000e/char000f",
          "+/service000e/char000f/desc0011", "+/service0012", "+/service0012/char0013",
          "+/service0012/char0015",
          "ServicesResolved UUIDs", "org.bluez.Battery1",
        ])
    }
  }

  @Test("A second connection finds the attributes in place")
  func secondConnectionFinds() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      try await client.device("Disconnect", Address.strap)
      _ = await client.log.first { $0.sets("Connected", to: .boolean(false)) }
      let start = client.log.end
      try await client.connect(Address.strap)
      let added = client.log.events(from: start).filter { if case .added = $0 { true } else { false } }
      #expect(added == [.added(path: path, interfaces: ["org.bluez.Battery1"])])
    }
  }

  @Test("Disconnecting takes the daemon a while")
  func disconnectingTakesDaemon() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      _ = await client.log.first { $0 == .added(path: path, interfaces: ["org.bluez.Battery1"]) }
      let start = client.log.end
      try await client.device("Disconnect", Address.strap)
      _ = await client.log.first(from: start) { $0.sets("Connected", to: .boolean(false)) }
      let events = client.log.events(from: start)
      #expect(events.count == 4)
      #expect(events[0] == .removed(path: path, interfaces: ["org.bluez.Battery1"]))
      #expect(events[1].sets("ServicesResolved", to: .boolean(false)))
      #expect(events[2] == .reply("Disconnect"))
      #expect(events[3].sets("Connected", to: .boolean(false)))
    }
  }

  @Test("A link that the peripheral closes is one signal")
  func linkPeripheralCloses() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let start = client.log.end
      await bus.simulator.dropLink(Address.strap)
      let index = try #require(
        await client.log.first(from: start) { $0.sets("Connected", to: .boolean(false)) })
      #expect(client.log.events()[index].sets("ServicesResolved", to: .boolean(false)))
      #expect(
        await client.log.first { $0 == .removed(path: path, interfaces: ["org.bluez.Battery1"]) } != nil)
    }
  }

  @Test("Connecting a connected device, or disconnecting a disconnected one, succeeds at once")
  func connectingWhatConnected() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      let start = client.log.end
      try await client.device("Disconnect", Address.strap)
      #expect(client.log.events(from: start) == [.reply("Disconnect")])
      try await client.connect(Address.strap)
      try await client.device("Connect", Address.strap)
    }
  }

  @Test("A second call of connect is refused while one waits")
  func secondCallConnect() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.vanish(Address.strap)
      let first = await client.beginDevice("Connect", Address.strap)
      let second = await client.beginDevice("Connect", Address.strap, as: "second")
      #expect(await second.failure?.line == "Failed Operation already in progress")
      await bus.simulator.appear(Address.strap)
      #expect(await first.failure == nil)
    }
  }

  @Test("A peripheral that is not there times out")
  func peripheralNotTimes() async throws {
    var timing = SimulatorTiming.brisk
    timing.connectTimeout = .milliseconds(50)
    try await withSimulator(timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.vanish(Address.strap)
      #expect(
        await failure { try await client.device("Connect", Address.strap) }?.line
          == "Failed le-connection-abort-by-local")
    }
  }

  @Test("A peripheral that comes into reach is connected")
  func peripheralComesInto() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.vanish(Address.strap)
      let attempt = await client.beginDevice("Connect", Address.strap)
      try await client.barrier()
      await bus.simulator.appear(Address.strap)
      #expect(await attempt.failure == nil)
    }
  }

  @Test("Disconnect cancels an attempt")
  func disconnectCancelsAttempt() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.vanish(Address.strap)
      let attempt = await client.beginDevice("Connect", Address.strap)
      try await client.device("Disconnect", Address.strap)
      #expect(await attempt.failure?.line == "Failed br-connection-canceled")
    }
  }

  @Test("As many failures come as a test asks for")
  func failuresTestAsks() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      await bus.simulator.connectFailures(Address.strap, count: 2)
      for _ in 0..<2 {
        #expect(
          await failure { try await client.device("Connect", Address.strap) }?.line
            == "Failed le-connection-abort-by-local")
      }
      try await client.connect(Address.strap)
    }
  }

  @Test("A link outlives the client that made it")
  func linkOutlivesClient() async throws {
    try await withSimulator { bus in
      let first = try await BusClient.connect(to: bus.address)
      try await first.open(Address.strap)
      await first.close()
      let second = try await BusClient.connect(to: bus.address)
      #expect(try await second.get("Connected", of: "org.bluez.Device1", at: path) == .boolean(true))
    }
  }

  @Test("Services can count as resolved before they are there")
  func servicesCanCount() async throws {
    var strap = try #require(World.builtIn.peripherals.first { $0.address == Address.strap })
    strap.faults = [.orderServices(.resolvedFirst)]
    try await withSimulator(world: World(peripherals: [strap])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      let start = client.log.end
      try await client.device("Connect", Address.strap)
      let service = path + "/service0006"
      let added = try #require(await client.log.first { $0.path == service })
      let before = client.log.events()[start..<added]
      #expect(before.contains { $0.sets("ServicesResolved", to: .boolean(true)) })
    }
  }

  @Test("Services can come late")
  func servicesCanCome() async throws {
    var strap = try #require(World.builtIn.peripherals.first { $0.address == Address.strap })
    strap.faults = [.orderServices(.objectsLate(.milliseconds(20)))]
    try await withSimulator(world: World(peripherals: [strap])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let service = path + "/service0006"
      let added = try #require(await client.log.first { $0.path == service })
      let resolved = try #require(await client.log.first { $0.sets("ServicesResolved", to: .boolean(true)) })
      #expect(resolved < added)
    }
  }

  @Test("Alias and trust are signalled before the reply and only when new")
  func aliasTrustTold() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      let start = client.log.end
      for _ in 0..<2 {
        try await client.set("Trusted", of: "org.bluez.Device1", at: path, to: .boolean(true))
      }
      try await client.set("Alias", of: "org.bluez.Device1", at: path, to: .string("mine"))
      let events = client.log.events(from: start)
      #expect(events.count == 5)
      #expect(events[0].sets("Trusted", to: .boolean(true)))
      #expect(events[1...2].allSatisfy { $0 == .reply("Set") })
      #expect(events[3].sets("Alias", to: .string("mine")))
    }
  }
}

@Suite("Removal")
struct RemovalTests {
  private let path = BusClient.devicePath(Address.strap)

  @Test("Removing a connected device disconnects it first and takes it away bottom up")
  func removingConnectedDevice() async throws {
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

  @Test("A removed device is unknown and can be found again")
  func removedDeviceUnknown() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      try await client.adapter("RemoveDevice") { $0.objectPath(path) }
      #expect(
        await failure { try await client.device("Connect", Address.strap) }?.name == ErrorName.unknownObject)
      try await client.open(Address.strap)
    }
  }

  @Test("An attempt on a device that is removed is never answered")
  func attemptDeviceRemoved() async throws {
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

  @Test("A private address stays temporary even when connected")
  func privateAddressStays() async throws {
    var timing = SimulatorTiming.brisk
    timing.temporaryDevice = .milliseconds(300)
    let address = "4A:00:00:00:00:01"
    let phone = PeripheralSpec(
      address: address, advertisement: AdvertisementSpec(name: "Phone", interval: .milliseconds(10)))
    try await withSimulator(world: World(peripherals: [phone]), timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      let path = BusClient.devicePath(address)
      try await client.hear(address)
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
