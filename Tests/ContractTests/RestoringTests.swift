// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Services and advertisements that BlueZ refuses when it is back; only a simulated one can be made to.
@Suite("Restoring", .enabled(if: !Stages.isReal), .timeLimit(.minutes(1)))
struct RestoringTests {
  @Test("What BlueZ refuses when it is back is tried again after a pause, and reported once")
  func refused() async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let manager = try await PeripheralManager(bus: .address(simulated.address))
      let uuid = ServingStage.short
      let service = try await manager.add(LocalService(uuid, [LocalCharacteristic(uuid, .read)]))
      try await manager.startAdvertising(Advertisement(services: [uuid]))
      var events = await manager.events().makeAsyncIterator()
      for (method, times) in [("RegisterApplication", 3), ("RegisterAdvertisement", 4)] {
        let fault = CallFault(method, .failed("not now"), times: times)
        try await simulated.simulator.perform(.daemon(.failCalls(fault)))
      }
      let start = LoopClock.now
      await simulated.simulator.killDaemon()
      try await simulated.simulator.startDaemon()
      var failures: [String] = []
      try await ServingStage.wait(for: &events) { kind in
        if case .failed(let error) = kind { failures.append("\(error.operation): \(error.message)") }
        if case .advertisingStarted = kind { return true } else { return false }
      }
      #expect(failures == ["publish fff0: not now", "advertise: not now"])
      #expect(await service.characteristics[0].handle != nil)
      #expect(LoopClock.now - start >= .seconds(5))
      await manager.close()
    }
  }
}
