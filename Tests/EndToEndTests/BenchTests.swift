// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `bench`: what it prints, and how it ends; `Contract/LinkBenches` compares it with what devices count.
@Suite("Bench of links")
struct BenchTests {
  private func result(_ blectl: Blectl, _ words: String...) async throws -> JSONRecord {
    let result = try await blectl.start(["bench"] + words + ["--json"]).result()
    #expect(result.status == 0, "\(result.errorText)")
    let records = try result.records
    #expect(records.count == 1)
    return try #require(records.first)
  }

  @Test("Notifications are counted, with the times between them, and none is missing")
  func notifications() async throws {
    try await withSimulator(world: .flood(notifications: 1000, perSecond: 200)) { simulated in
      let record = try await result(Blectl(bus: simulated.address), "Flood", "2a37", "--count", "300")
      #expect(record["kind"]?.text == "notifications")
      #expect(record["count"]?.number == 300)
      #expect(record["bytes"]?.number == 300 * 20)
      #expect(record["missing"]?.number == 0)
      #expect(record["interval_ms"]?["p50"]?.real != nil)
      #expect(record["rssi"]?.number != nil && record["mtu"]?.number == 517)
    }
  }

  @Test("Reads are counted until the time is over")
  func reads() async throws {
    try await withSimulator { simulated in
      let record = try await result(
        Blectl(bus: simulated.address), Address.strap, "2a38", "--read", "--duration", "500ms")
      #expect(record["kind"]?.text == "reads")
      let count = try #require(record["count"]?.number)
      #expect(count > 0)
      #expect(record["bytes"]?.number == count)
      #expect(record["latency_ms"]?["max"]?.real != nil)
    }
  }

  @Test("What was counted before the link was lost is printed, with the error")
  func lostLink() async throws {
    try await withSimulator { simulated in
      try await simulated.simulator.perform(.peripheral(Address.strap, .dropAfterOperations(40)))
      let result = try await Blectl(bus: simulated.address).run("bench", Address.strap, "2a38", "--read")
      #expect(result.status == 1)
      #expect(result.errorText.contains("the link was lost"), "\(result.errorText)")
      #expect(result.lines.contains { $0.hasPrefix("latency\tmin ") }, "\(result.text)")
    }
  }

  @Test("A characteristic without notifications is refused, with the options that measure it")
  func withoutNotifications() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let readable = try await blectl.run("bench", Address.strap, "body-sensor-location")
      #expect(readable.status == 1)
      #expect(
        readable.errorText == """
          blectl: cannot measure body-sensor-location of \(Address.strap): it sends no notifications
          hint: use --read

          """)
      let writable = try await blectl.run("bench", Address.strap, "2a39")
      #expect(writable.errorText.hasSuffix("hint: use --write VALUE\n"), "\(writable.errorText)")
    }
  }

  @Test("Options that do not fit together are usage errors")
  func usage() async throws {
    for words in [
      ["--read", "--write", "00"], ["--no-response"], ["--reply", "ffe2"], ["--count", "0"],
    ] {
      let result = try await Blectl(bus: "unix:path=/nonexistent")
        .start(["bench", "Piano", "ffe3"] + words).result()
      #expect(result.status == 64, "\(words)")
    }
  }
}
