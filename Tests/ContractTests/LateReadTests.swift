// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Reads that are answered after their callers have given up; only a simulated device can be made so slow.
@Suite("Late reads", .enabled(if: !Stages.isReal), .timeLimit(.minutes(1)))
struct LateReadTests {
  private static let level = BluetoothUUID(0x2A19)

  /// Runs a test with the strap, connected.
  private func withStrap(_ body: (SimulatedBus, Peripheral) async throws -> Void) async throws {
    try await withSimulator { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let strap = try await Contract.find(BuiltIn.strap, central)
      try await strap.connect()
      try await body(simulated, strap)
      await central.close()
    }
  }

  /// Runs a test with the battery level of the strap, of which one read was given up, and is answered later.
  private func withLateRead(
    _ body: (SimulatedBus, Peripheral, GATTCharacteristic, () async throws -> Void) async throws -> Void
  ) async throws {
    try await withStrap { simulated, strap in
      let level = try await strap.characteristic(.batteryLevel)
      let fault = AnswerFault(.late(.seconds(1)), to: .read, times: 1)
      try await simulated.simulator.perform(.characteristic(Self.level, of: Address.strap, .answer(fault)))
      try await body(simulated, strap, level) {
        let error = await #expect(throws: BLEError.self) {
          try await strap.readValue(for: level, timeout: .milliseconds(100))
        }
        #expect(error?.code == .timedOut)
      }
    }
  }

  /// Waits until BlueZ has signalled a value: then the device sends one by itself, which must come first.
  private func expectNoEcho(
    of events: CentralEvents, in values: Notifications, _ simulated: SimulatedBus
  ) async throws {
    for try await event in events {
      if case .value = event.kind { break }
    }
    try await simulated.simulator.perform(
      .characteristic(Self.level, of: Address.strap, .setValue([0x20])))
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next()?.value == [0x20])
  }

  @Test("A late answer to a read that timed out is not a notification")
  func timedOut() async throws {
    try await withLateRead { simulated, strap, level, readInVain in
      let events = await strap.central.events()
      let values = try await strap.notifications(for: level)
      try await readInVain()
      try await expectNoEcho(of: events, in: values, simulated)
    }
  }

  @Test("The answer to a read begun before the subscription is not a notification")
  func before() async throws {
    try await withLateRead { simulated, strap, level, readInVain in
      let events = await strap.central.events()
      try await readInVain()
      let values = try await strap.notifications(for: level)
      try await expectNoEcho(of: events, in: values, simulated)
    }
  }

  @Test("While another program's read goes on, the reason is reported, whenever the time is over")
  func foreign() async throws {
    VirtualTime.begin()
    try await withStrap { simulated, strap in
      let level = try await strap.characteristic(.batteryLevel)
      try await simulated.simulator.perform(.daemon(.failCalls(CallFault("ReadValue"))))
      let read = Task { try await strap.readValue(for: level, timeout: .seconds(1)) }
      // bluetoothd is too busy to refuse the last attempt before the time is over.
      try await EventLoop.shared.sleep(for: .milliseconds(970))
      try await simulated.simulator.perform(.daemon(.freeze))
      try await EventLoop.shared.sleep(for: .milliseconds(230))
      try await simulated.simulator.perform(.daemon(.thaw))
      let error = await #expect(throws: BLEError.self) { try await read.value }
      #expect(error?.code == .busy)
    }
  }

  @Test("A device that never answers has not refused: BlueZ gives it up after 30 s")
  func never() async throws {
    VirtualTime.begin()
    try await withStrap { simulated, strap in
      let level = try await strap.characteristic(.batteryLevel)
      try await simulated.simulator.perform(
        .characteristic(Self.level, of: Address.strap, .answer(AnswerFault(.never, to: .read, times: 1))))
      let error = await #expect(throws: BLEError.self) {
        try await strap.readValue(for: level, timeout: .seconds(60))
      }
      #expect(error?.code == .timedOut)
      #expect(error?.message == "no answer within 30 s: BlueZ closes the link")
      #expect(error?.mayHaveTakenEffect == true)
    }
  }

  @Test("A write that is on its way when bluetoothd ends may have reached the device")
  func ending() async throws {
    VirtualTime.begin()
    try await withStrap { simulated, strap in
      let point = try await strap.characteristic(BluetoothUUID(0x2A39))
      try await simulated.simulator.perform(
        .characteristic(
          BluetoothUUID(0x2A39), of: Address.strap, .answer(AnswerFault(.never, to: .write, times: 1))))
      let write = Task { try await strap.writeValue([1], for: point) }
      try await EventLoop.shared.sleep(for: .seconds(1))
      await simulated.simulator.killDaemon()
      let error = await #expect(throws: BLEError.self) { try await write.value }
      #expect(error?.code == .serviceUnavailable)
      #expect(error?.mayHaveTakenEffect == true)
    }
  }

  @Test("A subscriber that comes in the moment in which another one goes stays")
  func subscribers() async throws {
    try await withStrap { simulated, strap in
      let beats = try await strap.characteristic(.heartRateMeasurement)
      let first = try await strap.notifications(for: beats)
      let task = Task(executorPreference: strap.central.taskExecutor) {
        for _ in 1...4 {
          var subscription: Notifications? = try await strap.notifications(for: beats)
          _ = subscription
          subscription = nil
          var values = try await strap.notifications(for: beats).makeAsyncIterator()
          _ = try await values.next(within: .seconds(10), during: .continue)
        }
      }
      try await task.value
      withExtendedLifetime(first) {}
    }
  }
}
