// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Tasks of one program that open, use and close the same link at the same time, in an order that only the virtual time of
/// a simulated BlueZ makes certain.
@Suite("Turns of a link", .enabled(if: !Stages.isReal), .timeLimit(.minutes(5)))
struct LinkTurnsTests {
  private static let packetTime = Duration.milliseconds(100)

  /// Runs a test with the bench, on whose links a packet takes 100 ms.
  private func withBench(
    _ body: (SimulatedBus, CentralManager, Peripheral) async throws -> Void
  ) async throws {
    VirtualTime.begin()
    var timing = SimulatorTiming.brisk
    timing.packetTime = Self.packetTime
    try await withSimulator(world: .contract, timing: timing) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      try await body(simulated, central, try await Contract.find(BuiltIn.bench, central))
      await central.close()
    }
  }

  private func sleep(_ time: Duration) async throws { try await EventLoop.shared.sleep(for: time) }

  private func echo(of bench: Peripheral) async throws -> GATTCharacteristic {
    try await bench.characteristic(BuiltIn.bench(0x0106))
  }

  private func expectLink(of bench: Peripheral) async throws {
    let error = await #expect(throws: BLEError.self) {
      try await bench.waitUntilDisconnected(timeout: .seconds(3))
    }
    #expect(error?.code == .timedOut)
  }

  // MARK: Writes

  @Test("Writes are confirmed although another task goes on writing")
  func confirming() async throws {
    try await withBench { _, _, bench in
      try await bench.connect()
      let echo = try await echo(of: bench)
      try await bench.writeValue([1], for: echo, type: .withoutResponse)
      let confirming = Task { try await bench.confirmWrites() }
      try await sleep(.milliseconds(50))
      try await bench.writeValue([2], for: echo, type: .withoutResponse)
      try await confirming.value
      try await bench.confirmWrites()
    }
  }

  @Test("A link that is lost, or given up, under two writers is an error for both", arguments: [true, false])
  func lostWriters(isLost: Bool) async throws {
    try await withBench { simulated, _, bench in
      try await bench.connect()
      let echo = try await echo(of: bench)
      let values = (UInt8(0)..<16).map { [$0] }
      let writers = (0..<2).map { _ in
        Task { try await bench.writeValues(values, for: echo, type: .withoutResponse) }
      }
      try await sleep(.milliseconds(300))
      if isLost {
        await simulated.simulator.dropLink(BuiltIn.bench.description)
      } else {
        await bench.release()
      }
      for writer in writers {
        let error = await #expect(throws: BLEError.self) { try await writer.value }
        #expect(error?.code == .disconnected)
      }
    }
  }

  // MARK: Opening and closing

  @Test("A link that is requested while it is released is a new one, which lasts", arguments: [20, 300])
  func released(after milliseconds: Int) async throws {
    try await withBench { _, _, bench in
      try await bench.connect()
      try await bench.writeValue([1], for: echo(of: bench), type: .withoutResponse)
      let release = Task { await bench.release() }
      try await sleep(.milliseconds(milliseconds))
      try await bench.connect(timeout: .seconds(60))
      await release.value
      try await expectLink(of: bench)
    }
  }

  /// Lets BlueZ know the bench, which then does not answer until it appears again.
  private func hide(_ bench: Peripheral, _ simulated: SimulatedBus) async throws {
    try await bench.connect()
    try await bench.disconnect()
    await simulated.simulator.vanish(BuiltIn.bench.description)
  }

  /// The bench as another program sees it.
  private func other(_ simulated: SimulatedBus) async throws -> Peripheral {
    let other = try await CentralManager(bus: .address(simulated.address))
    return try #require(try await other.knownPeripheral(withAddress: BuiltIn.bench)).peripheral
  }

  @Test("A task that gives up connecting takes nothing from one that goes on")
  func givenUp() async throws {
    try await withBench { simulated, central, bench in
      try await hide(bench, simulated)
      let patient = Task { try await bench.connect(timeout: .seconds(60)) }
      try await sleep(.milliseconds(100))
      await #expect(throws: BLEError.self) { try await bench.connect(timeout: .seconds(1)) }
      await simulated.simulator.appear(BuiltIn.bench.description)
      _ = try await patient.value
      let shared = try await other(simulated)
      #expect(try await shared.connect() == .joined)
      await bench.release()
      try await expectLink(of: shared)
      await shared.central.close()
    }
  }

  // MARK: Links that are left to others

  /// Lets another program begin to join the link of the bench, which takes it longer than 50 ms.
  private func startJoining(
    _ simulated: SimulatedBus
  ) async throws -> (Peripheral, Task<LinkOrigin, any Error>) {
    let other = try await other(simulated)
    let joining = Task { try await other.connect(timeout: .seconds(60)) }
    try await sleep(.milliseconds(50))
    return (other, joining)
  }

  @Test("A program that gives up joining a link closes it if it was left to it meanwhile")
  func leftToOneThatGivesUp() async throws {
    try await withBench { simulated, _, bench in
      try await bench.connect()
      let (other, joining) = try await startJoining(simulated)
      await bench.release()
      joining.cancel()
      let error = await #expect(throws: BLEError.self) { try await joining.value }
      #expect(error?.code == .cancelled)
      try await bench.waitUntilDisconnected(timeout: .seconds(10))
      await other.central.close()
    }
  }

  @Test("A manager that is closed while it joins a link closes it if it was left to it meanwhile")
  func leftToOneThatIsClosed() async throws {
    try await withBench { simulated, _, bench in
      try await bench.connect()
      let (other, joining) = try await startJoining(simulated)
      await bench.release()
      await other.central.close()
      await #expect(throws: BLEError.self) { try await joining.value }
      try await bench.waitUntilDisconnected(timeout: .seconds(10))
    }
  }

  @Test(
    "A program whose notifications go off a moment after the last one has left does not keep the link open")
  func lateStop() async throws {
    try await withBench { simulated, _, bench in
      try await bench.connect()
      let echo = try await bench.characteristic(BuiltIn.bench(0x0107))
      let killed = try await BusClient.connect(to: simulated.address)
      try await killed.call("StartNotify", of: "org.bluez.GattCharacteristic1", at: echo.id)
      let release = Task { await bench.release() }
      try await sleep(.milliseconds(100))
      await killed.close()
      await release.value
      try await bench.waitUntilDisconnected(timeout: .seconds(10))
    }
  }

  @Test("A bluetoothd that hangs while two programs leave closes the link, to which both were subscribed")
  func leftWhileFrozen() async throws {
    try await withBench { simulated, _, bench in
      try await bench.connect()
      let other = try await other(simulated)
      #expect(try await other.connect(timeout: .seconds(60)) == .joined)
      var subscriptions: [Notifications] = []
      for peripheral in [other, bench] {
        let echo = try await peripheral.characteristic(BuiltIn.bench(0x0107))
        subscriptions.append(try await peripheral.notifications(for: echo))
      }
      await simulated.simulator.freeze()
      async let otherLeft: Void = other.release()
      await bench.release()
      await otherLeft
      #expect(subscriptions.count == 2)
      await simulated.simulator.thaw()
      try await bench.waitUntilDisconnected(timeout: .seconds(10))
      await other.central.close()
    }
  }

  @Test("A link stays for another program that opened it behind a lost one, which was ours")
  func foreignBehindLost() async throws {
    try await withBench { simulated, _, bench in
      try await bench.connect()
      let (other, joining) = try await startJoining(simulated)
      await simulated.simulator.dropLink(BuiltIn.bench.description)
      try await bench.waitUntilDisconnected()
      let foreign = try await BusClient.connect(to: simulated.address)
      try await foreign.connect(BuiltIn.bench.description)
      #expect(try await joining.value == .joined)
      await other.release()
      try await expectLink(of: bench)
      await other.central.close()
      await foreign.close()
    }
  }

  @Test("A manager that is closed while it connects leaves no link behind")
  func closed() async throws {
    try await withBench { simulated, central, bench in
      try await hide(bench, simulated)
      let connecting = Task { try await bench.connect(timeout: .seconds(60)) }
      try await sleep(.seconds(1))
      await central.close()
      _ = await connecting.result
      // What the manager sent at its end has reached the daemon before this one can know its devices.
      let watched = try await other(simulated)
      await simulated.simulator.appear(BuiltIn.bench.description)
      for _ in 0..<30 {
        try await sleep(.milliseconds(100))
        #expect(try await !watched.info.isConnected)
      }
      await watched.central.close()
    }
  }
}
