// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite("Notification")
struct NotificationTests {
  private func withBench(
    _ body: (BusClient, SimulatedBus, (String) async throws -> String) async throws -> Void
  ) async throws {
    try await withSimulator(world: .contract) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.bench)
      try await body(client, bus) { try await client.characteristic(benchUUID($0), of: Address.bench) }
    }
  }

  @Test("Subscribing and unsubscribing are signalled before the reply")
  func subscribingToldBefore() async throws {
    try await withBench { client, _, path in
      let echo = try await path("0107")
      let start = client.log.end
      try await client.gatt("StartNotify", echo)
      try await client.gatt("StartNotify", echo)
      try await client.gatt("StopNotify", echo)
      let events = client.log.events(from: start)
      #expect(events.count == 5)
      #expect(events[0].sets("Notifying", to: .boolean(true), at: echo))
      #expect(events[1...2].allSatisfy { $0 == .reply("StartNotify") })
      #expect(events[3].sets("Notifying", to: .boolean(false), at: echo))
      #expect(
        await failure { try await client.gatt("StopNotify", echo) }?.line
          == "Failed No notify session started")
    }
  }

  @Test("A written value is notified after the reply")
  func whatWrittenNotified() async throws {
    try await withBench { client, _, path in
      let echo = try await path("0107")
      try await client.gatt("StartNotify", echo)
      let start = client.log.end
      try await client.write(try await path("0106"), Array("hello".utf8))
      let heard = try #require(
        await client.log.first(from: start) { $0.sets("Value", to: .bytes(Array("hello".utf8)), at: echo) })
      #expect(client.log.events()[start..<heard].contains(.reply("WriteValue")))
      #expect(try await client.read(echo) == Array("hello".utf8))
    }
  }

  @Test("Indications arrive like notifications")
  func indicationsArriveLike() async throws {
    try await withBench { client, _, path in
      let indicated = try await path("010A")
      try await client.gatt("StartNotify", indicated)
      try await client.write(try await path("010B"), [1, 2])
      #expect(await client.log.first { $0.sets("Value", to: .bytes([1, 2]), at: indicated) } != nil)
    }
  }

  @Test("A burst arrives whole and in order")
  func burstArrivesWhole() async throws {
    try await withBench { client, _, path in
      let stream = try await path("0109")
      try await client.gatt("StartNotify", stream)
      try await client.write(try await path("0108"), [0xE8, 0x03])
      _ = await client.log.first { $0.sets("Value", to: .bytes(numbered(999)), at: stream) }
      let values = client.log.events().compactMap { event -> DBusValue? in
        if case .changed(stream, _, let values, _) = event { values["Value"] } else { nil }
      }
      let expected = (0..<1000).map { DBusValue.bytes(numbered($0)) }
      #expect(values == expected)
    }
  }

  @Test("A flood begins with the subscription")
  func floodBeginsSubscription() async throws {
    try await withSimulator(world: .flood(notifications: 5000)) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open("C2:F1:00:D0:00:01")
      let stream = try await client.characteristic("2a37", of: "C2:F1:00:D0:00:01")
      try await client.gatt("StartNotify", stream)
      _ = await client.log.first { $0.sets("Value", to: .bytes(numbered(4999)), at: stream) }
      let values = client.log.events().filter { event in
        if case .changed(stream, _, let values, _) = event { values["Value"] != nil } else { false }
      }
      #expect(values.count == 5000)
    }
  }

  @Test("A flood at a rate takes its time")
  func floodRateTakes() async throws {
    try await withSimulator(world: .flood(notifications: 100, perSecond: 1000)) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open("C2:F1:00:D0:00:01")
      let stream = try await client.characteristic("2a37", of: "C2:F1:00:D0:00:01")
      let start = ContinuousClock.now
      try await client.gatt("StartNotify", stream)
      _ = await client.log.first { $0.sets("Value", to: .bytes(numbered(99)), at: stream) }
      #expect(ContinuousClock.now - start >= .milliseconds(100))
      let values = client.log.events().compactMap { event -> DBusValue? in
        if case .changed(stream, _, let values, _) = event { values["Value"] } else { nil }
      }
      let expected = (0..<100).map { DBusValue.bytes(numbered($0)) }
      #expect(values == expected)
    }
  }

  @Test("Each subscribed client causes its own signal")
  func eachSubscribedClient() async throws {
    try await withBench { client, bus, path in
      let other = try await BusClient.connect(to: bus.address)
      let echo = try await path("0107")
      try await client.gatt("StartNotify", echo)
      try await other.gatt("StartNotify", echo)
      try await client.write(try await path("0106"), [1])
      _ = await client.log.first { $0.sets("Value", to: .bytes([1]), at: echo) }
      try await client.barrier()
      #expect(client.log.events().filter { $0.sets("Value", to: .bytes([1]), at: echo) }.count == 2)
      await other.close()
      _ = await client.log.first { $0 == .owner(name: other.name, owner: "") }
      try await client.write(try await path("0106"), [2])
      _ = await client.log.first { $0.sets("Value", to: .bytes([2]), at: echo) }
      try await client.barrier()
      let seconds = client.log.events().filter { $0.sets("Value", to: .bytes([2]), at: echo) }
      #expect(seconds.count == 1)
    }
  }

  @Test("The last client that leaves unsubscribes")
  func lastClientLeaves() async throws {
    try await withBench { client, bus, path in
      let other = try await BusClient.connect(to: bus.address)
      let echo = try await path("0107")
      try await other.gatt("StartNotify", echo)
      await other.close()
      #expect(await client.log.first { $0.sets("Notifying", to: .boolean(false), at: echo) } != nil)
    }
  }

  @Test("A subscription outlives the link")
  func subscriptionOutlivesLink() async throws {
    try await withBench { client, bus, path in
      let echo = try await path("0107")
      try await client.gatt("StartNotify", echo)
      await bus.simulator.dropLink(Address.bench)
      _ = await client.log.first { $0.sets("Connected", to: .boolean(false)) }
      #expect(
        try await client.get("Notifying", of: "org.bluez.GattCharacteristic1", at: echo) == .boolean(true))
      #expect(await failure { try await client.gatt("StartNotify", echo) }?.line == "InProgress In Progress")
      try await client.connect(Address.bench)
      try await client.write(try await path("0106"), [7])
      #expect(await client.log.first { $0.sets("Value", to: .bytes([7]), at: echo) } != nil)
    }
  }

  @Test("A characteristic that cannot notify cannot be subscribed to")
  func whatCannotNotify() async throws {
    try await withBench { client, _, path in
      #expect(
        await failure { try await client.gatt("StartNotify", try await path("0104")) }?.line
          == "NotSupported Operation is not supported")
    }
  }

  @Test("Subscribing while disconnecting finds no connection")
  func subscribingWhileDisconnecting() async throws {
    var timing = SimulatorTiming.brisk
    timing.disconnect = .milliseconds(200)
    try await withSimulator(world: .contract, timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.bench)
      let echo = try await client.characteristic(benchUUID("0107"), of: Address.bench)
      let disconnected = await client.beginDevice("Disconnect", Address.bench)
      #expect(
        await failure { try await client.gatt("StartNotify", echo) }?.line == "NotConnected Not Connected")
      #expect(try await client.read(echo) == [0])
      #expect(await disconnected.failure == nil)
    }
  }

  @Test("The piano answers a tone")
  func pianoAnswersTone() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.piano)
      let keys = try await client.characteristic("ffe2", of: Address.piano)
      try await client.gatt("StartNotify", keys)
      let lamps = try await client.characteristic("ffe3", of: Address.piano)
      try await client.write(lamps, [0xF0, 0x3D, 0x3D, 0x40, 0x02, 0xF7])
      #expect(await client.log.first { $0.sets("Value", to: .bytes([0x9F, 0x54, 0x40]), at: keys) } != nil)
    }
  }

  @Test("The pulse counts up from sixty")
  func pulseCountsUp() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      let pulse = try await client.characteristic("2a37", of: Address.strap)
      try await client.gatt("StartNotify", pulse)
      let first = try #require(await client.log.first { $0.sets("Value", to: .bytes([0, 60]), at: pulse) })
      let second = try #require(await client.log.first { $0.sets("Value", to: .bytes([0, 61]), at: pulse) })
      #expect(first < second)
    }
  }

  private func numbered(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [UInt8](repeating: 0xA5, count: 16)
  }
}
