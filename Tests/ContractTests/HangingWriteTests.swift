// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Writes without response while bluetoothd hangs; only a simulated one hangs when it is told to.
@Suite("Writes to a bluetoothd that hangs", .enabled(if: !Stages.isReal), .timeLimit(.minutes(1)))
struct HangingWriteTests {
  @Test("A bluetoothd that hangs is noticed within the time of one value, however many are on their way")
  func hanging() async throws {
    VirtualTime.begin()
    try await withSimulator(world: .contract) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let bench = try await Contract.find(BuiltIn.bench, central)
      try await bench.connect()
      let sink = try await bench.characteristic(BuiltIn.bench(0x0106))
      try await simulated.simulator.perform(
        .peripheral(BuiltIn.bench.description, .slowLink(.milliseconds(100))))
      let isUnderWay = Promise<Void>()
      let writing = Task {
        try await bench.writeValues(
          (0..<200).map { [UInt8(truncatingIfNeeded: $0)] }, for: sink, type: .withoutResponse,
          timeout: .seconds(3)
        ) { arrived in if arrived > 0 { isUnderWay.fulfil(()) } }
      }
      await isUnderWay.value
      let start = LoopClock.now
      await simulated.simulator.freeze()
      let error = await #expect(throws: BLEError.self) { try await writing.value }
      #expect(error?.message == "the Bluetooth service (bluetoothd) does not answer")
      // The request behind the values has 51 s.
      #expect(LoopClock.now - start < .seconds(30))
      await simulated.simulator.thaw()
      await central.close()
    }
  }
}
