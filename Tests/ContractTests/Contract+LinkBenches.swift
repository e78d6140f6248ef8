// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  /// `bench`: what it counts is what the device has counted.
  @Suite("Benches of links", .serialized)
  struct LinkBenches {
    private static let bench = "\(BuiltIn.bench)"
    private static let echo = BuiltIn.bench(0x0106)
    private static let burst = BuiltIn.bench(0x0108)
    private static let stream = BuiltIn.bench(0x0109)
    private static let piano = "\(BuiltIn.piano)"
    private static let keys = BluetoothUUID(short: 0xffe2)
    private static let lamps = BluetoothUUID(short: 0xffe3)

    private func start(_ stage: any Stage, _ words: [String]) throws -> ToolRun {
      try Blectl(bus: stage.address).start(["bench"] + words + ["--timeout", "90s", "--json"])
    }

    private func record(of run: ToolRun) async throws -> JSONRecord {
      let result = await run.result()
      #expect(result.status == 0, "\(result.errorText)")
      return try #require(try result.records.first, "\(result.errorText)")
    }

    @Test("Each notification that the device has sent is counted, or missing")
    func notifications() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withPeripheral(BuiltIn.bench) { peripheral in
        let burst = try await peripheral.characteristic(Self.burst)
        let total = 400
        let before = try await stage.sentCount(Self.bench, Self.stream)
        let running = try start(
          stage, [Self.bench, "\(Self.stream)", "--count", "\(total)", "--duration", "60s"])
        // The first one that is sent tells that the command has subscribed.
        while try await stage.sentCount(Self.bench, Self.stream) == before, running.isRunning {
          try await peripheral.writeValue([1, 0], for: burst)
        }
        // Two bursts of nothing, behind which those of one have been sent.
        for _ in 0..<2 { try await peripheral.writeValue([0, 0], for: burst) }
        let rest = total - (try await stage.sentCount(Self.bench, Self.stream) - before)
        try await peripheral.writeValue(
          [UInt8(truncatingIfNeeded: rest), UInt8(truncatingIfNeeded: rest >> 8)], for: burst)
        let record = try await record(of: running)
        #expect(record["kind"]?.text == "notifications")
        let count = try #require(record["count"]?.number)
        let missing = try #require(record["missing"]?.number)
        let sent = try await stage.sentCount(Self.bench, Self.stream) - before
        #expect(sent == total && count + missing == sent)
        #expect(record["bytes"]?.number == count * 20)
      }
    }

    @Test(
      "The device has received the values and the bytes that were written",
      arguments: [[], ["--no-response"]])
    func writes(_ options: [String]) async throws {
      let stage = try await Stages.shared.value
      try await stage.forgetReceived(Self.bench)
      let record = try await record(
        of: start(
          stage,
          [
            Self.bench, "\(Self.echo)", "--write", "0102030405", "--count", "400", "--duration", "2s",
          ] + options))
      #expect(record["kind"]?.text == (options.isEmpty ? "writes" : "writes_without_response"))
      #expect(record["uncertain"] == nil)
      let arrived = try await stage.received(Self.bench, Self.echo)
      #expect(!arrived.isEmpty && arrived.allSatisfy { $0 == [1, 2, 3, 4, 5] })
      #expect(record["count"]?.number == arrived.count)
      #expect(record["bytes"]?.number == arrived.reduce(0) { $0 + $1.count })
    }

    @Test("Each round trip is a write that the device has received, and an answer that it has sent")
    func roundTrips() async throws {
      let stage = try await Stages.shared.value
      try await stage.forgetReceived(Self.piano)
      let before = try await stage.sentCount(Self.piano, Self.keys)
      let record = try await record(
        of: start(
          stage,
          [
            Self.piano, "\(Self.lamps)", "--write", "f03d3d0002f7", "--reply", "\(Self.keys)",
            "--count", "20", "--duration", "60s",
          ]))
      #expect(record["kind"]?.text == "round_trips" && record["latency_ms"]?["p99"]?.real != nil)
      #expect(record["count"]?.number == 20 && record["bytes"]?.number == 120)
      #expect(try await stage.receivedCount(Self.piano, Self.lamps) == 20)
      #expect(try await stage.sentCount(Self.piano, Self.keys) - before == 20)
    }

    @Test(
      "When a link is lost, the device has received what was counted, and at most what is uncertain besides")
    func lostLink() async throws {
      let stage = try await Stages.shared.value
      try await stage.withPacketTime(.milliseconds(10)) {
        try await stage.forgetReceived(Self.bench)
        let running = try start(
          stage,
          [Self.bench, "\(Self.echo)", "--write", "0102", "--no-response", "--duration", "0"])
        // So many are sent only once some have arrived for certain.
        while try await stage.receivedCount(Self.bench, Self.echo) <= 64, running.isRunning {
          await Task.yield()
        }
        try await stage.drop(Self.bench)
        let result = await running.result()
        #expect(result.status == 1 && result.errorText.contains("link was lost"), "\(result.errorText)")
        let record = try #require(try result.records.first, "\(result.errorText)")
        let count = try #require(record["count"]?.number)
        let uncertain = try #require(record["uncertain"]?.number)
        let arrived = try await stage.receivedCount(Self.bench, Self.echo)
        #expect(count > 0 && count <= arrived && arrived <= count + uncertain)
      }
    }
  }
}
