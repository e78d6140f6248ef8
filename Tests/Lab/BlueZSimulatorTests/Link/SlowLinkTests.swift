// SPDX-License-Identifier: MIT
import AsyncIO
import BLEFormats
import BLEWorld
import BlueZSimulator
import DBus
import Glibc
import TestSupport
import Testing

/// Links on which packets take time.
@Suite("Slow link")
struct SlowLinkTests {
  /// Nothing gets through before the fault is undone.
  private static let never = Duration.seconds(3600)
  private static let input = BluetoothUUID(0xB1EC_0106, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa)
  private static let command: [(String, DBusValue)] = [("type", .string("command"))]

  /// Connects to the bench with a packet time.
  private func withBench(
    _ time: Duration, timing: SimulatorTiming = .brisk,
    test: (SimulatedBus, BusClient, String) async throws -> Void
  ) async throws {
    try await withSimulator(world: .contract, timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.bench)
      await bus.simulator.forgetReceived(Address.bench)
      try await setPacketTime(time, bus)
      try await test(bus, client, try await client.characteristic(benchUUID("0106"), of: Address.bench))
    }
  }

  private func setPacketTime(_ time: Duration, _ bus: SimulatedBus) async throws {
    try await bus.simulator.perform(.peripheral(Address.bench, .slowLink(time)))
  }

  private func heal(_ bus: SimulatedBus) async throws {
    try await bus.simulator.perform(.peripheral(Address.bench, .heal))
  }

  private func received(_ bus: SimulatedBus) async -> [[UInt8]] {
    await bus.simulator.received(Address.bench, Self.input)
  }

  /// Acquires the socket of a characteristic.
  private func acquire(_ path: String, _ client: BusClient) async throws -> Int32 {
    let reply = try await client.gatt("AcquireWrite", path) { $0.properties([]) }
    return reply.takeDescriptor(at: 0)?.release() ?? -1
  }

  /// Reads a value, so that nothing is queued.
  private func readFixed(_ client: BusClient) async throws {
    let path = try await client.characteristic(benchUUID("0104"), of: Address.bench)
    let value = try await client.read(path)
    #expect(value == Array("fixed".utf8))
  }

  @Test("Commands are acknowledged before they are sent, and arrive in order")
  func commandsAcknowledgedBefore() async throws {
    try await withBench(Self.never) { bus, client, input in
      for number in 0..<5 { try await client.write(input, [UInt8(number)], options: Self.command) }
      #expect(await received(bus).isEmpty)
      try await heal(bus)
      #expect(await received(bus) == [[0], [1], [2], [3], [4]])
    }
  }

  @Test("The answer to a request proves that the commands before it have arrived")
  func answerRequestProves() async throws {
    // More than the kernel accepts: the rest waits in the daemon.
    try await withBench(.microseconds(200)) { bus, client, input in
      for start in stride(from: 0, to: 600, by: 100) {
        // A bus allows no more than 128 calls without a reply.
        var calls: [Task<Result<Message, DBusError>, Never>] = []
        for number in start..<start + 100 {
          calls.append(
            await client.begin("WriteValue", of: "org.bluez.GattCharacteristic1", at: input) {
              $0.bytes([UInt8(number & 0xFF)])
              $0.properties(Self.command)
            })
        }
        for call in calls { #expect(await call.failure == nil) }
      }
      try await readFixed(client)
      #expect(await received(bus) == (0..<600).map { [UInt8($0 & 0xFF)] })
    }
  }

  @Test("A request delayed too long by earlier packets times out, and the link ends")
  func requestDelayedToo()
    async throws
  {
    var timing = SimulatorTiming.brisk
    timing.attTimeout = .milliseconds(50)
    try await withBench(Self.never, timing: timing) { bus, client, input in
      try await client.write(input, [1], options: Self.command)
      let fixed = try await client.characteristic(benchUUID("0104"), of: Address.bench)
      let line = await failure { try await client.read(fixed) }?.line
      #expect(line == "Failed Operation failed with ATT error: 0x0e")
      let end = await client.log.first(setting: "Connected", to: .boolean(false))
      #expect(end != nil)
      #expect(await received(bus).isEmpty)
    }
  }

  @Test("Packets in transit are lost when the link ends")
  func packetsTransitLost() async throws {
    try await withBench(Self.never) { bus, client, input in
      for _ in 0..<300 { try await client.write(input, [1], options: Self.command) }
      try await client.device("Disconnect", Address.bench)
      let end = await client.log.first(setting: "Connected", to: .boolean(false))
      #expect(end != nil)
      try await heal(bus)
      try await client.connect(Address.bench)
      try await readFixed(client)
      #expect(await received(bus).isEmpty)
    }
  }

  @Test("Queued values are sent although their client leaves the bus")
  func queuedValuesSent() async throws {
    try await withBench(Self.never) { bus, client, input in
      let other = try await BusClient.connect(to: bus.address)
      for number in 0..<3 { try await other.write(input, [UInt8(number)], options: Self.command) }
      await other.close()
      let left = await client.log.first(owning: other.name, isOwned: false)
      #expect(left != nil)
      #expect(await received(bus).isEmpty)
      try await heal(bus)
      #expect(await received(bus) == [[0], [1], [2]])
    }
  }

  @Test("A socket is read at once, and its packets are sent in turn")
  func socketReadOnce() async throws {
    try await withBench(Self.never) { bus, client, input in
      let socket = try await acquire(input, client)
      for number in 0..<20 {
        let bytes = [UInt8(number)]
        #expect(send(socket, bytes, 1, Int32(MSG_NOSIGNAL)) == 1)
      }
      close(socket)
      let released = await client.log.first(setting: "WriteAcquired", to: .boolean(false))
      #expect(released != nil)
      #expect(await received(bus).isEmpty)
      try await heal(bus)
      #expect(await received(bus) == (0..<20).map { [UInt8($0)] })
    }
  }

  @Test("A notification does not overtake the answer that was sent before it")
  func notificationDoesNot() async throws {
    try await withBench(.milliseconds(1)) { _, client, input in
      let output = try await client.characteristic(benchUUID("0107"), of: Address.bench)
      try await client.gatt("StartNotify", output)
      let start = client.log.end
      try await client.write(input, [7], options: [("type", .string("request"))])
      let told = try #require(
        await client.log.first(from: start, setting: "Value", to: .bytes([7]), at: output))
      let answered = try #require(await client.log.first(from: start, replying: "WriteValue"))
      #expect(answered < told)
    }
  }

  @Test("A value notified after the order to end the link does not arrive")
  func whatNotifiedAfter() async throws {
    var timing = SimulatorTiming.brisk
    timing.linkTeardown = Self.never
    try await withBench(.zero, timing: timing) { bus, client, _ in
      let uuid = BluetoothUUID(0xB1EC_0107, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa)
      let output = try await client.characteristic(benchUUID("0107"), of: Address.bench)
      try await client.gatt("StartNotify", output)
      let start = client.log.end
      try await bus.simulator.perform(.characteristic(uuid, of: Address.bench, .setValue([1])))
      // The reply comes between the order to the controller and the end of the link.
      try await client.device("Disconnect", Address.bench)
      try await bus.simulator.perform(.characteristic(uuid, of: Address.bench, .setValue([2])))
      try await client.barrier()
      let events = client.log.events(from: start)
      #expect(events.contains { $0.sets("Value", to: .bytes([1])) })
      #expect(!events.contains { $0.sets("Value", to: .bytes([2])) })
    }
  }

  @Test("Service discovery takes packets, too")
  func serviceDiscoveryTakes() async throws {
    try await withSimulator(world: .contract) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.bench)
      try await client.find(Address.band)
      try await setPacketTime(Self.never, bus)
      try await client.device("Connect", Address.bench)
      try await client.connect(Address.band)  // whose services are found later
      let path = BusClient.devicePath(Address.bench)
      let resolved = try await client.get("ServicesResolved", of: "org.bluez.Device1", at: path)
      #expect(resolved == .boolean(false))
      try await heal(bus)
      let found = await client.log.first(setting: "ServicesResolved", to: .boolean(true), at: path)
      #expect(found != nil)
    }
  }

  @Test("The packet time of a world overrides the default")
  func packetTimeWorld()
    async throws
  {
    var world = World.contract
    for index in world.peripherals.indices where world.peripherals[index].address == Address.bench {
      world.peripherals[index].link = LinkSpec(packetTime: Self.never)
    }
    try await withSimulator(world: world) { bus in
      await bus.simulator.setPacketTime(.zero)
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.bench)
      try await client.find(Address.band)
      try await client.device("Connect", Address.bench)
      try await client.connect(Address.band)  // whose services are found later
      let path = BusClient.devicePath(Address.bench)
      let resolved = try await client.get("ServicesResolved", of: "org.bluez.Device1", at: path)
      #expect(resolved == .boolean(false))
      try await setPacketTime(.zero, bus)
      let found = await client.log.first(setting: "ServicesResolved", to: .boolean(true), at: path)
      #expect(found != nil)
    }
  }

  // MARK: One attempt at a time

  @Test("A hanging attempt blocks the others until it is given up")
  func hangingAttemptBlocks() async throws {
    var timing = SimulatorTiming.brisk
    timing.controllerAttempt = Self.never
    timing.connect = .zero
    try await withSimulator(timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      try await client.find(Address.band)
      try await bus.simulator.perform(.peripheral(Address.strap, .hangConnect()))
      let hanging = await client.beginDevice("Connect", Address.strap)
      let waiting = await client.beginDevice("Connect", Address.band)
      // An unhindered attempt needs one turn.
      for _ in 0..<3 { try await client.barrier() }
      #expect(await !bus.simulator.isConnected(Address.band))
      try await client.device("Disconnect", Address.strap)
      #expect(await hanging.failure?.line == "Failed br-connection-canceled")
      #expect(await waiting.failure == nil)
    }
  }

  @Test("A peripheral out of range does not block others")
  func peripheralOutRange() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      try await client.find(Address.band)
      await bus.simulator.vanish(Address.strap)
      let waiting = await client.beginDevice("Connect", Address.strap)
      try await client.connect(Address.band)
      await bus.simulator.appear(Address.strap)
      #expect(await waiting.failure == nil)
    }
  }

  // MARK: Counting

  @Test("A link that closes after a number of operations executes no further ones")
  func linkClosesAfter()
    async throws
  {
    try await withBench(.zero) { bus, client, input in
      try await bus.simulator.perform(.peripheral(Address.bench, .dropAfterOperations(3)))
      let socket = try await acquire(input, client)
      for number in 0..<20 {
        let bytes = [UInt8(number)]
        _ = send(socket, bytes, 1, Int32(MSG_NOSIGNAL))
      }
      let end = await client.log.first(setting: "Connected", to: .boolean(false))
      #expect(end != nil)
      close(socket)
      #expect(await received(bus) == [[0], [1], [2]])
    }
  }
}
