// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

/// Connecting again after the bus was lost.
@Suite("Lost buses of peripheral managers in CoreBluetooth", .timeLimit(.minutes(2)))
struct LostBusTests {
  @Test("After each of many losses of the bus, a peripheral manager is back after a second")
  func pauses() async throws {
    VirtualTime.begin()
    try await withSimulator { bus in
      let watcher = PeripheralWatcher()
      let manager = CBPeripheralManager(
        delegate: watcher, queue: watcher.queue, options: ["blectl.bus": bus.address])
      _ = await watcher.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      for _ in 0..<4 {
        let loss = LoopClock.now
        await manager.session.serving?.close()
        _ = await watcher.first { if case .state(.resetting) = $0 { true } else { nil } }
        _ = await watcher.first { if case .state(.poweredOn) = $0 { true } else { nil } }
        #expect(LoopClock.now - loss < .seconds(2))
      }
    }
  }
}
