// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// Streams of several devices, first contacts, and scans that are interrupted.
  @Suite("Streams", .serialized)
  struct Streams {
    /// Runs a test, and leaves bluetoothd running, its adapter on and every peripheral in reach behind it.
    private func onStage(_ body: (any Stage) async throws -> Void) async throws {
      let stage = try await Stages.shared.value
      do {
        try await body(stage)
      } catch {
        try? await stage.startDaemon()
        try? await stage.switchOn()
        try? await stage.show("\(BuiltIn.strap)")
        throw error
      }
    }

    /// Waits until a record of an event, of a device, stands in the output that many times.
    private func wait(
      for event: String, of address: BluetoothAddress, times: Int = 1, _ running: ToolRun
    ) async -> Bool {
      await running.waitForOutput { text in
        let records = text.split(separator: "\n").filter {
          $0.contains("\"event\":\"\(event)\"") && $0.contains("\(address)") && $0.hasSuffix("}")
        }
        return records.count >= times
      }
    }

    /// How many attempts to connect to the strap have failed.
    private func failedAttempts(_ errors: String) -> Int {
      errors.split(separator: "\n").count {
        $0.contains("\(BuiltIn.strap)") && $0.contains("no connection yet")
      }
    }

    @Test("A device of a group that is out of reach does not keep the others from coming back")
    func group() async throws {
      try await onStage { stage in
        for address in [BuiltIn.strap, BuiltIn.wristband] {
          _ = try await Blectl(bus: stage.address).run("disconnect", "\(address)", "-q")
        }
        // The wristband and the strap.
        let running = try Blectl(bus: stage.address).start(
          [
            "subscribe", "[MH][Ie]*", "2a37", "--all", "--json", "--reconnect", "--reconnect-delay", "1s",
            "-v",
          ],
          limit: .seconds(300))
        for address in [BuiltIn.strap, BuiltIn.wristband] {
          #expect(await wait(for: "value", of: address, running))
        }
        try await stage.hide("\(BuiltIn.strap)")
        try await stage.drop("\(BuiltIn.strap)")
        #expect(await wait(for: "disconnected", of: BuiltIn.strap, running))
        for time in 1...3 {
          try await stage.drop("\(BuiltIn.wristband)")
          #expect(await wait(for: "reconnected", of: BuiltIn.wristband, times: time, running))
        }
        if Stages.isReal {
          // If it is heard in the moment in which an attempt is given up, Linux has a link that no program has:
          // docs/bluez-versions.md. After an attempt, there is time until the end of the next one.
          let failures = failedAttempts(await running.errorsSoFar())
          #expect(await running.waitForErrors { failedAttempts($0) > failures })
        }
        try await stage.show("\(BuiltIn.strap)")
        #expect(await wait(for: "reconnected", of: BuiltIn.strap, running))
        running.send(signal: SIGINT)
        #expect(await running.result().signal == SIGINT)
      }
    }

    @Test(
      "Several devices begin together: what they send before the last one is subscribed to is not recorded")
    func startTogether() async throws {
      try await onStage { stage in
        let (strap, wristband) = ("\(BuiltIn.strap)", "\(BuiltIn.wristband)")
        let result = try await Blectl(bus: stage.address).start(
          [
            "subscribe", "\(strap):2a37", "\(strap):2a19", "\(wristband):2a37", "--start-together",
            "--read-first", "--count", "9", "--json",
          ], limit: .seconds(300)
        ).result()
        #expect(result.status == 0, "\(result.errorText)")
        let records = try result.records
        let events = records.compactMap { $0["event"]?.text }
        #expect(events == ["connected", "connected", "begun"] + Array(repeating: "value", count: 9))
        let zero = try #require(records.first { $0["event"]?.text == "begun" }?["time"]?.text)
        let values = records.filter { $0["event"]?.text == "value" }
        #expect(values.allSatisfy { ($0["time"]?.text ?? "") >= zero })
        #expect(Set(values.compactMap { $0["address"]?.text }) == [strap, wristband])
        // Only the battery can be read; BlueZ signals what was read, too, which is no notification.
        let read = values.filter { $0["via"]?.text == "read" }
        #expect(read.count == 1 && read.first?["value"]?.text == "57")
        let battery = values.filter { $0["characteristic"]?.text?.hasPrefix("00002a19") == true }
        #expect(battery.count == 1)
      }
    }

    @Test("With --reconnect the first contact is waited for: first bluetoothd, then the device")
    func firstContact() async throws {
      try await onStage { stage in
        try await stage.killDaemon()
        let running = try Blectl(bus: stage.address).start(
          ["subscribe", "\(BuiltIn.strap)", "2a37", "--reconnect", "--count", "1", "--json"],
          limit: .seconds(300))
        #expect(await running.waitForErrors { $0.contains("waiting for bluetoothd\n") })
        try await stage.startDaemon()
        let result = await running.result()
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try result.records.compactMap { $0["event"]?.text } == ["connected", "value"])
      }
    }

    @Test("A scan whose adapter is power-cycled below bluetoothd goes on, or ends with the reason")
    func interrupted() async throws {
      try await onStage { stage in
        let blectl = Blectl(bus: stage.address)
        let running = try blectl.start(["scan", "--duration", "0", "--duplicates"], limit: .seconds(120))
        #expect(await running.waitForLines(1))
        try await stage.switchOff()
        try await stage.switchOn()
        let count = await running.outputSoFar().count { $0 == UInt8(ascii: "\n") }
        // Lines from before the end may come behind it.
        if await running.waitForLines(count + 3) { running.send(signal: SIGINT) }
        let result = await running.result()
        if result.signal != SIGINT {
          #expect(result.status == 3)
          #expect(result.errorText.contains("cannot scan: the adapter hci0 is off"))
        }
      }
    }

    @Test("The scan of a monitor goes on after its adapter was power-cycled, and after bluetoothd has died")
    func monitor() async throws {
      try await onStage { stage in
        let running = try Blectl(bus: stage.address).start(
          ["monitor", "--scan", "--rssi", "--json"], limit: .seconds(300))
        #expect(await hears(BuiltIn.bthome, after: "", running))
        try await stage.switchOff()
        // bluetoothd sends changes that follow each other at once as one: none, here.
        #expect(await running.waitForOutput { $0.contains("\"state\":\"off\"") })
        try await stage.switchOn()
        #expect(await hears(BuiltIn.bthome, after: "\"state\":\"off\"", running))
        try await stage.killDaemon()
        try await stage.startDaemon()
        #expect(await hears(BuiltIn.bthome, after: "\"state\":\"service_unavailable\"", running))
        running.send(signal: SIGINT)
        #expect(await running.result().signal == SIGINT)
      }
    }

    /// Waits until a device is heard after the first record with some text: a beacon, which no other test has connected.
    private func hears(_ address: BluetoothAddress, after text: String, _ running: ToolRun) async -> Bool {
      await running.waitForOutput { output in
        let lines = output.split(separator: "\n")
        guard let start = lines.firstIndex(where: { text.isEmpty || $0.contains(text) }) else { return false }
        return lines[start...].contains { line in
          line.contains("\(address)") && line.contains("\"rssi\":") && !line.contains("\"event\":\"lost\"")
        }
      }
    }
  }
}
