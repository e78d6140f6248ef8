// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// What happens to the values of a subscription before they are printed.
  @Suite("Stages", .serialized)
  struct StagesOfStreams {
    @Test("A link that is lost ends a window and no alarm; a device that is gone is absent until it returns")
    func gap() async throws {
      let stage = try await Stages.shared.value
      let strap = "\(BuiltIn.strap)"
      let running = try Blectl(bus: stage.address).start(
        [
          "subscribe", strap, "2a37", "--json", "--reconnect", "--reconnect-delay", "1s", "--every", "1d",
          "--average", "--when", "heart_rate_bpm > 1", "--absent", "6s",
        ], limit: .seconds(300))
      #expect(await running.waitForOutput { $0.contains(#""event":"alarm""#) })
      try await stage.hide(strap)
      try await stage.drop(strap)
      let isAbsent = await running.waitForOutput { $0.contains(#""event":"absent""#) }
      try await stage.show(strap)
      #expect(isAbsent)
      #expect(await running.waitForOutput { $0.contains(#""event":"reconnected""#) })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      let records = try result.records
      // Where connecting takes long, the device was absent before.
      let events = records.compactMap { $0["event"]?.text }.drop { $0 != "connected" }
      #expect(
        Array(events.prefix(7))
          == ["connected", "alarm", "average", "disconnected", "absent", "returned", "reconnected"])
      #expect(!events.contains("cleared") && !events.contains("value"))
      let average = try #require(records.first { $0["event"]?.text == "average" })
      #expect(average["from"]?.text?.hasSuffix("T00:00:00.000000Z") == true)
      #expect(average["decoded"]?["maximum_heart_rate_bpm"] != nil)
    }
  }
}
