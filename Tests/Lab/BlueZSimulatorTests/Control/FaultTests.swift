// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

private let strap = BusClient.devicePath(Address.strap)

/// Faults of advertisements.
@Suite("Advert fault")
struct AdvertFaultTests {
  private func withScan(
    _ commands: PeripheralAction..., test: (SimulatedBus, BusClient) async throws -> Void
  ) async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      for command in commands { try await bus.simulator.perform(.peripheral(Address.strap, command)) }
      try await client.startDiscovery(filter: [("DuplicateData", .boolean(true))])
      try await test(bus, client)
    }
  }

  @Test(
    "A peripheral that was not heard is found when it is heard again",
    arguments: [PeripheralAction.loseAdverts(), .vanish])
  func peripheralNotHeard(
    _ command: PeripheralAction
  ) async throws {
    try await withScan(command) { bus, client in
      let other = BusClient.devicePath(Address.thermometer)
      // Those of the world are heard in turn: a second report of another one comes after the first of this one.
      let first = try #require(await client.log.first(about: other))
      _ = await client.log.first(from: first + 1, about: other)
      #expect(!client.log.events().contains { $0.path == strap })
      try await bus.simulator.perform(
        .peripheral(Address.strap, command == .vanish ? .appear : .loseAdverts(false)))
      #expect(await client.log.first(about: strap) != nil)
    }
  }

  @Test("A link outlives lost advertisements, a new one waits for them")
  func linkOutlivesLost() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      try await bus.simulator.perform(.peripheral(Address.strap, .loseAdverts()))
      _ = try await client.read(try await client.characteristic("2a38", of: Address.strap))
      try await bus.simulator.perform(.peripheral(Address.strap, .dropLink))
      let attempt = await client.beginDevice("Connect", Address.strap)
      try await client.barrier()
      #expect(await !bus.simulator.isConnected(Address.strap))
      try await bus.simulator.perform(.peripheral(Address.strap, .heal))
      #expect(await attempt.failure == nil)
    }
  }

  @Test("The name arrives later")
  func nameArrivesLater() async throws {
    try await withScan(.loseNames(times: 1)) { _, client in
      let found = try #require(await client.log.first(about: strap))
      let named = await client.log.first(setting: "Name", to: .string("Heart Strap"))
      #expect(try #require(named) > found)
    }
  }

  @Test("The signal strength is the one that is set")
  func signalStrengthOne() async throws {
    try await withScan(.setRSSI(-20)) { bus, client in
      _ = await client.log.first(about: strap)
      guard case .int16(let strength) = try await client.get("RSSI", of: "org.bluez.Device1", at: strap)
      else {
        Issue.record("no strength")
        return
      }
      #expect((-24 ... -16).contains(strength))
      try await bus.simulator.perform(.peripheral(Address.strap, .setRSSI(-100)))
      #expect(
        await client.log.first { event in
          (-104 ... -96).contains { event.sets("RSSI", to: .int16($0), at: strap) }
        } != nil)
    }
  }

  @Test("Properties are signalled again although none has changed, even of an unknown device")
  func propertiesSignalledAgain()
    async throws
  {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await bus.simulator.perform(.peripheral(Address.strap, .repeatProperties))
      #expect(await client.log.first(setting: "RSSI", to: .int16(-60), at: strap) != nil)
      try await client.open(Address.strap)
      try await bus.simulator.perform(.peripheral(Address.strap, .repeatProperties))
      #expect(await client.log.first(setting: "Address", to: .string(Address.strap), at: strap) != nil)
      try await bus.simulator.perform(
        .characteristic(BluetoothUUID(0x2A37), of: Address.strap, .repeatProperties))
      let flags = await client.log.first(setting: "Flags", to: .strings(["notify"]))
      #expect(flags != nil)
      try await bus.simulator.perform(.adapter(.repeatProperties))
      #expect(await client.log.first(setting: "Powered", to: .boolean(true)) != nil)
    }
  }
}

/// Faults of attempts to connect, links and services.
@Suite("Link fault")
struct LinkFaultTests {
  private let path = BusClient.devicePath(Address.strap)

  private func withStrap(
    timing: SimulatorTiming = .brisk, _ commands: PeripheralAction...,
    test: (SimulatedBus, BusClient) async throws -> Void
  ) async throws {
    try await withSimulator(timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      for command in commands { try await bus.simulator.perform(.peripheral(Address.strap, command)) }
      try await test(bus, client)
    }
  }

  private func connectError(_ client: BusClient) async -> String? {
    await failure { try await client.device("Connect", Address.strap) }?.line
  }

  private func isResolved(_ client: BusClient) async throws -> Bool {
    try await client.get("ServicesResolved", of: "org.bluez.Device1", at: path) == .boolean(true)
  }

  @Test("Connecting is refused a number of times with the given error")
  func connectingRefusedNumber() async throws {
    let error = BlueZError("org.bluez.Error.Failed", "le-connection-refused")
    try await withStrap(.refuseConnect(times: 2, error)) { _, client in
      for _ in 0..<2 { #expect(await connectError(client) == "Failed le-connection-refused") }
      try await client.connect(Address.strap)
    }
  }

  @Test("Connecting is refused until the fault is undone")
  func connectingRefusedUntil() async throws {
    try await withStrap(.refuseConnect()) { bus, client in
      for _ in 0..<3 { #expect(await connectError(client) == "Failed le-connection-abort-by-local") }
      try await bus.simulator.perform(.peripheral(Address.strap, .heal))
      try await client.connect(Address.strap)
    }
  }

  @Test("An attempt that hangs ends when the daemon gives up")
  func attemptHangsEnds() async throws {
    var timing = SimulatorTiming.brisk
    timing.connectTimeout = .milliseconds(50)
    try await withStrap(timing: timing, .hangConnect(times: 1)) { _, client in
      #expect(await connectError(client) == "Failed le-connection-abort-by-local")
    }
  }

  @Test("A link that is not signalled exists all the same, and its end is signalled")
  func hiddenLink() async throws {
    try await withStrap(.hideConnected(times: 1)) { bus, client in
      let start = client.log.end
      try await client.connect(Address.strap)
      #expect(!client.log.events()[start...].contains { $0.sets("Connected", to: .boolean(true)) })
      #expect(try await client.get("Connected", of: "org.bluez.Device1", at: path) == .boolean(true))
      try await bus.simulator.perform(.peripheral(Address.strap, .dropLink))
      #expect(await client.log.first(from: start, setting: "Connected", to: .boolean(false)) != nil)
    }
  }

  @Test("A link is closed after some time, even an existing one")
  func linkClosedAfter() async throws {
    try await withStrap { bus, client in
      try await client.connect(Address.strap)
      try await bus.simulator.perform(.peripheral(Address.strap, .dropAfterTime(.milliseconds(5))))
      let first = try #require(await client.log.first(setting: "Connected", to: .boolean(false)))
      try await client.device("Connect", Address.strap)
      #expect(await client.log.first(from: first + 1, setting: "Connected", to: .boolean(false)) != nil)
    }
  }

  @Test("A link is closed after a number of operations until the fault is healed")
  func linkClosedAfterNumber() async throws {
    try await withStrap { bus, client in
      try await client.connect(Address.strap)
      let target = try await client.characteristic("2a38", of: Address.strap)
      try await bus.simulator.perform(.peripheral(Address.strap, .dropAfterOperations(1)))
      let start = client.log.end
      _ = try await client.read(target)
      #expect(await client.log.first(from: start, setting: "Connected", to: .boolean(false)) != nil)
      try await bus.simulator.perform(.peripheral(Address.strap, .heal))
      try await client.connect(Address.strap)
      for _ in 0..<5 { _ = try await client.read(target) }
    }
  }

  @Test("Services are discovered late")
  func servicesDiscoveredLate() async throws {
    try await withStrap(.delayServices(.seconds(3600))) { bus, client in
      try await client.device("Connect", Address.strap)
      try await client.barrier()
      #expect(try await !isResolved(client))
      try await bus.simulator.perform(.peripheral(Address.strap, .dropLink))
      try await bus.simulator.perform(.peripheral(Address.strap, .heal))
      try await client.connect(Address.strap)
    }
  }

  @Test(
    "Services are signalled after they are resolved",
    arguments: [ServiceOrder.resolvedFirst, .objectsLate(.milliseconds(5))])
  func servicesSignalledAfter(_ order: ServiceOrder) async throws {
    try await withStrap(.orderServices(order)) { _, client in
      let start = client.log.end
      try await client.connect(Address.strap)
      let service = path + "/service0006"
      let added = try #require(await client.log.first(from: start, about: service))
      let before = client.log.events()[start..<added]
      #expect(before.contains { $0.sets("ServicesResolved", to: .boolean(true)) })
    }
  }

  @Test("The daemon goes on with the handles of moved characteristics, until it has forgotten the device")
  func movedAttributes() async throws {
    try await withStrap { bus, client in
      try await client.open(Address.strap)
      let before = try await client.characteristic("2a38", of: Address.strap)
      try await bus.simulator.perform(.peripheral(Address.strap, .dropLink))
      try await bus.simulator.perform(.peripheral(Address.strap, .moveAttributes(by: 200)))
      try await client.connect(Address.strap)
      #expect(try await client.characteristic("2a38", of: Address.strap) == before)
      #expect(await failure { try await client.read(before) }?.message.hasSuffix("ATT error: 0x01") == true)
      try await bus.simulator.perform(.peripheral(Address.strap, .dropLink))
      await client.forget(Address.strap)
      try await client.open(Address.strap)
      let after = try await client.characteristic("2a38", of: Address.strap)
      #expect(after != before)
      #expect(try await client.read(after) == [1])
      // Its notifications come from the new handles, too.
      let rate = try await client.characteristic("2a37", of: Address.strap)
      _ = try await client.gatt("StartNotify", rate)
      #expect(await client.log.first { $0.bytes("Value", at: rate) != nil } != nil)
    }
  }

  @Test("A command with a duration is undone automatically")
  func commandDurationUndone() async throws {
    try await withStrap { bus, client in
      try await client.connect(Address.strap)
      try await bus.simulator.perform(.peripheral(Address.strap, .vanish, for: .milliseconds(5)))
      #expect(await client.log.first(setting: "Connected", to: .boolean(false)) != nil)
      try await client.device("Connect", Address.strap)  // waits until it is back
    }
  }
}
