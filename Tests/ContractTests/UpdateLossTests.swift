// SPDX-License-Identifier: MIT
internal import BLEUpdate
internal import BLEWorld
internal import TestSupport
internal import Testing

/// Long updates over links that are lost again and again.
@Suite("Updates over lost links", .enabled(if: !Stages.isReal), .serialized, .timeLimit(.minutes(10)))
struct UpdateLossTests {
  private static let size = 200_000

  @Test(
    "200 kB over links that are lost at twenty random bytes arrive as they are in the file",
    arguments: UpdateMethod.allCases)
  func lostLinks(method: UpdateMethod) async throws {
    var random = SeededGenerator(seed: 4711)
    var faults = TransferFaults()
    faults.hangsUpAt = (0..<20).map { _ in Int.random(in: 0..<Self.size, using: &random) }
    let smp = method == .smp ? SMPSpec { $0.faults.transfer = faults } : nil
    let kinds: [UpdateMethod: DFUSpec.Kind] = [.secureDFU: .secure, .legacyDFU: .legacy]
    let dfu = kinds[method].map { DFUSpec($0) { $0.faults.transfer = faults } }
    let (firmware, bytes) =
      if let dfu {
        try UpdateStage.package(dfu.kind, size: Self.size)
      } else {
        try UpdateStage.image(size: Self.size)
      }
    try await UpdateStage.with(smp: smp, dfu: dfu) { stage in
      let result = try await stage.update(firmware)
      #expect(result.method == method && result.to == "2.0.0")
      #expect(await stage.running == bytes)
    }
  }
}
