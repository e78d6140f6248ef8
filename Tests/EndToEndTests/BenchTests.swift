// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// `bench`: what it counts is what the device has sent and received.
@Suite("Bench of links")
struct BenchTests {
  private static let bench = Address.bench

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

  @Test("The device has received as many writes as were counted", arguments: [[], ["--no-response"]])
  func writes(_ options: [String]) async throws {
    try await withSimulator(world: .contract) { simulated in
      await simulated.simulator.forgetReceived(Self.bench)
      let uuid = benchUUID("0106")
      let words = [Self.bench, uuid, "--write", "0102030405", "--count", "150"] + options
      let result = try await Blectl(bus: simulated.address).start(["bench"] + words + ["--json"]).result()
      #expect(result.status == 0, "\(result.errorText)")
      let record = try #require(try result.records.first)
      #expect(record["kind"]?.text == (options.isEmpty ? "writes" : "writes_without_response"))
      #expect(record["count"]?.number == 150)
      #expect(record["uncertain"] == nil)
      let characteristic = try #require(BluetoothUUID(uuid))
      #expect(await simulated.simulator.received(Self.bench, characteristic).count == 150)
    }
  }

  @Test("Each round trip waits for its reply")
  func roundTrips() async throws {
    try await withSimulator { simulated in
      let record = try await result(
        Blectl(bus: simulated.address), "Piano", "ffe3", "--write", "f03d3d0002f7", "--reply", "ffe2",
        "--count",
        "20")
      #expect(record["kind"]?.text == "round_trips")
      #expect(record["count"]?.number == 20)
      #expect(record["latency_ms"]?["p99"]?.real != nil)
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
