// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// A bluetoothd that is busy for a moment; only a simulated one is when it is told to.
@Suite("A bluetoothd that is busy", .enabled(if: !Stages.isReal), .timeLimit(.minutes(1)))
struct BusyServiceTests {
  @Test("A bluetoothd that answers the second question is not taken for one that hangs", arguments: [3, 9])
  func secondQuestion(_ seconds: Int) async throws {
    VirtualTime.begin()
    try await withSimulator(world: .contract) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      _ = try await central.currentAdapter()
      await simulated.simulator.freeze()
      let asking = Task { try await central.requireAnswers(during: .scan) }
      try await EventLoop.shared.sleep(for: .seconds(seconds))
      await simulated.simulator.thaw()
      switch await asking.result {
      case .success: #expect(seconds == 3)
      case .failure(let error):
        #expect(seconds == 9)
        #expect("\(error)".hasSuffix("(bluetoothd) does not answer"), "\(error)")
      }
      await central.close()
    }
  }
}
