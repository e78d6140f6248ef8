// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// Values that `serve` gets faster than they can be passed on.
@Suite("Flow of values through serve", .timeLimit(.minutes(3)))
struct ServeFlowTests {
  @Test("Lines on stdin that are faster than the link are held back, not dropped")
  func fastInput() async throws {
    try await ServedLamp.serve(input: nil) { _, simulated, running in
      let count = 20_000
      let subscriber = try Blectl(bus: simulated.address).start(
        ["subscribe", "Lamp", "ffe1", "--count", "\(count)", "--duration", "100s"],
        environment: ["BLECTL_ADAPTER": "hci1"])
      #expect(await running.waitForOutput { $0.contains("subscribed") })
      running.send(input: (0..<count).flatMap { Array("ffe1 u32:\($0)\n".utf8) })
      let values = await subscriber.result().lines.compactMap { $0.split(separator: "\t").last }
      #expect(values.count == count)
      #expect(values.last.map(String.init) == "1f4e0000")
    }
  }
}
