// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import BLECentral

@Suite("Discovery calls that BlueZ leaves unanswered")
struct UnansweredDiscoveryTests {
  @Test("A scan does not wait for a StopDiscovery that the adapter, which went off, has not answered")
  func offWhileStopping() async throws {
    var timing = SimulatorTiming.brisk
    timing.scanStart = .seconds(1)
    try await withSimulator(timing: timing) { bus in
      let central = try await CentralManager(bus: .address(bus.address))
      var first: ScanResults.Iterator? = central.scan().makeAsyncIterator()
      _ = try await first?.next()
      first = nil  // the answer takes a second
      let adapter = try await central.currentAdapter()
      try await central.setPowered(false, adapter: adapter)
      try await central.setPowered(true, adapter: adapter)
      var second = central.scan().makeAsyncIterator()
      let batch = try await second.nextBatch(until: LoopClock.now + .seconds(3))
      #expect(batch?.elements.isEmpty == false)
      await central.close()
    }
  }
}
