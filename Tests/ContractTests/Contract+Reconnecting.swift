// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// A subscription goes on through whatever happens to the link, doubles nothing, and shows its gaps.
  @Suite("Reconnecting", .serialized)
  struct Reconnecting {
    /// The output of a run of `subscribe --reconnect`: the strap counts its beats up from 60.
    private struct Story {
      let records: [JSONRecord]

      init(_ result: ToolResult) throws { records = try result.records }

      var events: [String] { records.compactMap { $0["event"]?.text }.filter { $0 != "value" } }
      var reasons: [String] { records.compactMap { $0["reason"]?.text } }
      var gaps: [Bool] {
        records.filter { $0["event"]?.text == "reconnected" }.map { $0["gap_seconds"] != nil }
      }

      /// The times of records are in order, and a gap is the time between its two records.
      func expectTimes(sourceLocation: SourceLocation = #_sourceLocation) {
        let times = records.map { Story.seconds($0["time"]?.text ?? "") }
        for (before, after) in zip(times, times.dropFirst()) {
          #expect(
            (after - before + 86_400).truncatingRemainder(dividingBy: 86_400) < 3600,
            sourceLocation: sourceLocation)
        }
        for (index, record) in records.enumerated() {
          guard let gap = record["gap_seconds"]?.real, index > 0 else { continue }
          let passed = times[index] - times[index - 1]
          #expect(abs((passed < 0 ? passed + 86_400 : passed) - gap) < 0.05, sourceLocation: sourceLocation)
        }
      }

      /// The time of day of a record.
      private static func seconds(_ time: String) -> Double {
        let parts = time.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
        return parts.count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : -1
      }

      /// Between two losses, each beat is the one before and one: none is doubled, none is missing.
      func expectContinuity(sourceLocation: SourceLocation = #_sourceLocation) {
        var last: Int?
        for record in records {
          guard record["event"]?.text == "value" else {
            last = nil
            continue
          }
          guard let value = record["value"]?.text, let beat = Int(value, radix: 16) else {
            Issue.record("a value without bytes", sourceLocation: sourceLocation)
            continue
          }
          if let last { #expect(beat == (last == 99 ? 60 : last + 1), sourceLocation: sourceLocation) }
          last = beat
        }
      }
    }

    /// Subscribes, lets things happen to the stage once `values` have come, and waits for the stream to go on after each.
    private func story(
      times: Int, options: [String] = [], values: Int = 2, _ happen: (any Stage) async throws -> Void
    ) async throws -> Story {
      let stage = try await Stages.shared.value
      // A link of the test before may be going down: joined, it would be lost once more.
      _ = try await Blectl(bus: stage.address).run("disconnect", "\(BuiltIn.strap)", "-q")
      let running = try Blectl(bus: stage.address).start(
        ["subscribe", "\(BuiltIn.strap)", "2a37", "--json", "--reconnect", "--reconnect-delay", "1s"]
          + options,
        limit: .seconds(570))
      do {
        #expect(await goesOn(running, after: 0, values: values))
        for time in 1...times {
          try await happen(stage)
          #expect(await goesOn(running, after: time))
        }
      } catch {
        try? await stage.startBus()
        try? await stage.startDaemon()
        throw error
      }
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      return try Story(result)
    }

    /// Waits until so many values have come after that many reconnections.
    private func goesOn(_ running: ToolRun, after count: Int, values wanted: Int = 2) async -> Bool {
      await running.waitForOutput { text in
        var (reconnections, values) = (0, 0)
        for line in text.split(separator: "\n") {
          if line.hasPrefix("{\"event\":\"reconnected\"") { (reconnections, values) = (reconnections + 1, 0) }
          if line.hasPrefix("{\"event\":\"value\""), line.hasSuffix("}") { values += 1 }
        }
        return reconnections >= count && values >= wanted
      }
    }

    private func expect(_ story: Story, times: Int, sourceLocation: SourceLocation = #_sourceLocation) {
      let pairs = (0..<times).flatMap { _ in ["disconnected", "reconnected"] }
      #expect(story.events == ["connected"] + pairs, sourceLocation: sourceLocation)
      #expect(story.gaps == Array(repeating: true, count: times), sourceLocation: sourceLocation)
      #expect(story.reasons.count == times, sourceLocation: sourceLocation)
      story.expectContinuity(sourceLocation: sourceLocation)
      story.expectTimes(sourceLocation: sourceLocation)
    }

    @Test("A stream goes on after each of 20 forced disconnections, and doubles nothing")
    func drops() async throws {
      let story = try await story(times: 20) { try await $0.drop("\(BuiltIn.strap)") }
      expect(story, times: 20)
    }

    @Test("A device that goes out of range comes back")
    func outOfRange() async throws {
      let story = try await story(times: 1) { stage in
        try await stage.hide("\(BuiltIn.strap)")
        try await stage.drop("\(BuiltIn.strap)")
        // Another program hears it, so some time has passed.
        _ = try await Blectl(bus: stage.address).run(
          "scan", "--address", "\(BuiltIn.strap)", "--duration", "1s")
        try await stage.show("\(BuiltIn.strap)")
      }
      expect(story, times: 1)
    }

    @Test("A subscription outlives a bluetoothd that dies and is started again")
    func daemon() async throws {
      let story = try await story(times: 2) { stage in
        try await stage.killDaemon()
        try await stage.startDaemon()
      }
      expect(story, times: 2)
      #expect(story.reasons.allSatisfy { $0.contains("bluetoothd") || $0.hasPrefix("the link was lost") })
    }

    /// Kills the bus, and starts it again when a client has tried to come back in vain, and bluetoothd later.
    private func loseBus(_ stage: any Stage) async throws {
      try await stage.killBus()
      #expect(try await AwayBus.refuseClient(at: stage.address))
      try await stage.startBus()
      #expect(try await Blectl(bus: stage.address).run("devices").status == 3)
      try await stage.startDaemon()
    }

    @Test("A subscription outlives the death of the bus, even if it returns too late for the first attempt")
    func bus() async throws {
      expect(try await story(times: 2, loseBus), times: 2)
    }

    @Test("With --all, a subscription outlives the death of the bus, too")
    func busOfAll() async throws {
      expect(try await story(times: 1, options: ["--all"], loseBus), times: 1)
    }

    @Test(
      "A refusal that may pass does not end a subscription, at the first contact and after a loss",
      arguments: [[], ["--all"]])
    func refusal(options: [String]) async throws {
      let stage = try await Stages.shared.value
      let rate = BluetoothUUID(0x2A37)
      try await stage.refuseSubscription(to: rate, of: "\(BuiltIn.strap)")
      let story = try await story(times: 1, options: options) { stage in
        try await stage.refuseSubscription(to: rate, of: "\(BuiltIn.strap)")
        try await stage.drop("\(BuiltIn.strap)")
      }
      expect(story, times: 1)
    }

    @Test("With --all, --reconnect-limit counts from the loss, however long nothing new was heard")
    func limitFromLoss() async throws {
      let limit = ["--all", "--reconnect-limit", "30s"]
      let story = try await story(times: 1, options: limit, values: 35) { stage in
        try await stage.killDaemon()
        try await stage.startDaemon()
      }
      expect(story, times: 1)
    }

    @Test("Connect --stay outlives the death of the bus")
    func stayWithoutBus() async throws {
      let stage = try await Stages.shared.value
      let running = try Blectl(bus: stage.address).start(["connect", "\(BuiltIn.strap)", "--stay", "--json"])
      #expect(await running.waitForLines(1))
      try await loseBus(stage)
      #expect(await running.waitForLines(3))
      running.send(signal: SIGINT)
      let records = try await running.result().records
      #expect(records.map { $0["event"]?.text } == ["connected", "disconnected", "reconnected"])
    }

    @Test("A subscription outlives an adapter that is switched off and on")
    func adapter() async throws {
      let story = try await story(times: 2) { stage in
        let blectl = Blectl(bus: stage.address)
        for word in ["off", "on"] {
          let result = try await blectl.run("adapter", word)
          #expect(result.status == 0)
        }
      }
      expect(story, times: 2)
      #expect(story.reasons.allSatisfy { $0.hasSuffix("is off") || $0.hasPrefix("the link was lost") })
    }

    @Test("A subscription outlives an adapter that is power-cycled below bluetoothd")
    func powerCycle() async throws {
      let story = try await story(times: 3) { stage in
        try await stage.switchOff()
        try await stage.switchOn()
      }
      expect(story, times: 3)
      #expect(story.reasons.allSatisfy { $0.hasSuffix("is off") || $0.hasPrefix("the link was lost") })
    }

    @Test("Without --reconnect, a subscription ends with the true reason: the adapter was switched off")
    func trueReason() async throws {
      let stage = try await Stages.shared.value
      let blectl = Blectl(bus: stage.address)
      try await Contract.withCentral { watcher in
        let running = try blectl.start(["subscribe", "\(BuiltIn.strap)", "2a37", "--json"])
        #expect(await goesOn(running, after: 0))
        let events = await watcher.events()
        #expect(try await blectl.run("adapter", "off").status == 0)
        let result = await running.result()
        let delay = try await reasonDelay(events)
        #expect(try await blectl.run("adapter", "on").status == 0)
        let reason = try result.records.last?["reason"]?.text
        // A kernel on a busy machine takes longer between the two than the library waits for the reason.
        if delay > .milliseconds(100), reason == "the link was lost" { return }
        #expect(result.status == 3)
        #expect(result.errorText.contains("the adapter hci0 is off"))
        #expect(reason == "the adapter hci0 is off")
      }
    }

    /// How long after the loss of the strap's link BlueZ has reported that the adapter is off.
    private func reasonDelay(_ events: CentralEvents) async throws -> Duration {
      var loss: Timestamp?
      for try await event in events {
        switch event.kind {
        case .disconnected(let info) where info.address == BuiltIn.strap: loss = event.time
        case .state(.poweredOff):
          guard let loss else { return .zero }
          return .seconds(event.time.seconds - loss.seconds)
            + .nanoseconds(event.time.nanoseconds - loss.nanoseconds)
        default: break
        }
      }
      return .zero
    }

    @Test("A subscription ended when its link was lost, though the reason became known later")
    func end() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withPeripheral(BuiltIn.strap) { peripheral in
        let beats = try await peripheral.notifications(for: peripheral.characteristic(BuiltIn.uuid("2a37")))
        #expect(beats.end == nil)
        try await stage.drop("\(BuiltIn.strap)")
        await #expect(throws: BLEError.self) { for try await _ in beats {} }
        let end = try #require(beats.end)
        #expect(end.instant + .milliseconds(300) <= LoopClock.now)
      }
    }

    @Test("Connect --stay outlives the death of bluetoothd")
    func stay() async throws {
      let stage = try await Stages.shared.value
      let running = try Blectl(bus: stage.address).start(["connect", "\(BuiltIn.strap)", "--stay", "--json"])
      #expect(await running.waitForLines(1))
      try await stage.killDaemon()
      try await stage.startDaemon()
      #expect(await running.waitForLines(3))
      running.send(signal: SIGINT)
      let records = try await running.result().records
      #expect(records.map { $0["event"]?.text } == ["connected", "disconnected", "reconnected"])
    }
  }
}
