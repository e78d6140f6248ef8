// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Discoveries that BlueZ starts late; only a simulated one can be made to.
@Suite("Late scans", .enabled(if: !Stages.isReal), .timeLimit(.minutes(5)))
struct LateScanTests {
  /// Runs a test with a scan and a bluetoothd that hangs for a while before it answers StartDiscovery, and expects that
  /// no discovery outlives the scan.
  private func withFreeze(
    of time: Duration, _ body: (Task<Void, any Error>) async throws -> Void
  ) async throws {
    VirtualTime.begin()
    var timing = SimulatorTiming.brisk
    timing.scanStart = .milliseconds(1500)
    try await withSimulator(timing: timing) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let scan = Task(executorPreference: central.taskExecutor) {
        for try await _ in central.scan() { break }
      }
      try await EventLoop.shared.sleep(for: .seconds(1))
      try await simulated.simulator.perform(.daemon(.freeze))
      try await EventLoop.shared.sleep(for: time)
      try await simulated.simulator.perform(.daemon(.thaw))
      try await body(scan)
      try await EventLoop.shared.sleep(for: .seconds(3))
      let adapters = await simulated.simulator.state.adapters
      #expect(adapters.map(\.isDiscovering) == [false])
      await central.close()
    }
  }

  @Test("A BlueZ that hangs for a while starts one discovery, which the scan ends")
  func slow() async throws {
    try await withFreeze(of: .seconds(5)) { scan in try await scan.value }
  }

  @Test("A discovery that starts after its scan was given up is stopped")
  func givenUp() async throws {
    try await withFreeze(of: .seconds(8)) { scan in
      let error = await #expect(throws: BLEError.self) { try await scan.value }
      #expect(error?.code == .timedOut)
    }
  }

  @Test("A discovery that starts after its scan was cancelled is stopped")
  func cancelled() async throws {
    try await withFreeze(of: .zero) { scan in
      scan.cancel()
      try await scan.value
    }
  }
}
