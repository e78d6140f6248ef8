// SPDX-License-Identifier: MIT
import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// The waits of `subscribe --reconnect` before, and between, its subscriptions.
@Suite("Healing")
struct HealingTests {
  private static let beats = CharacteristicReference(device: Address.strap, uuid: BluetoothUUID(0x2A37))

  private func events(_ result: ToolResult) throws -> [String] {
    try result.records.compactMap { $0["event"]?.text }
  }

  /// Another program holds the beats of the strap.
  private func hold(_ simulated: SimulatedBus, for duration: Duration? = nil) async throws {
    #expect(try await Blectl(bus: simulated.address).run("connect", Address.strap).status == 0)
    try await simulated.simulator.perform(
      ControlCommand(.otherClient(.hold(Self.beats)), for: duration))
  }

  @Test("A subscription that fails at the first attempt is tried in growing pauses, until --reconnect-limit")
  func busy() async throws {
    try await withSimulator { simulated in
      try await hold(simulated)
      let result = try await Blectl(bus: simulated.address).start(
        ["subscribe", Address.strap, "2a37", "--reconnect", "--reconnect-limit", "2s", "-vv"],
        limit: .seconds(30)
      ).result()
      #expect(result.status == 1)
      #expect(result.errorText.contains("waiting for \(Address.strap): another program holds"))
      let attempts = result.errorText.split(separator: "\n").filter {
        $0.contains("→ ") && $0.contains("StartNotify")
      }
      #expect((2...9).contains(attempts.count), "\(attempts.count)")
    }
  }

  @Test("--duration begins with the subscription, however long that takes to be made")
  func duration() async throws {
    try await withSimulator { simulated in
      try await hold(simulated, for: .seconds(1))
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", Address.strap, "2a37", "--reconnect", "--duration", "200ms", "--json")
      #expect(result.status == 0)
      #expect(try events(result).first == "connected")
    }
  }

  @Test("A characteristic that is named twice has each value once")
  func twice() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", Address.strap, "2a37", "180d/2a37", "2a37", "--count", "3", "--json")
      let values = try result.records.compactMap { $0["value"]?.text }
      #expect(values == ["003c", "003d", "003e"])
    }
  }

  @Test("--reconnect says that it waits for a bluetoothd that does not answer, not for the device")
  func hangingService() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.freeze()
      let running = try Blectl(bus: simulated.address).start(
        [
          "subscribe", "Heart Strap", "2a37", "--reconnect", "--reconnect-delay", "200ms", "--timeout", "1s",
          "--count", "1",
        ], limit: .seconds(60))
      #expect(
        await running.waitForErrors {
          $0 == "waiting for Heart Strap: the Bluetooth service (bluetoothd) does not answer\n"
        })
      await simulated.simulator.thaw()
      let result = await running.result()
      #expect(result.status == 0, "\(result.errorText)")
    }
  }

  @Test("--reconnect waits for bluetoothd, the adapter and the device in turn, and says so")
  func firstContact() async throws {
    try await withSimulator { simulated in
      let simulator = simulated.simulator
      await simulator.vanish(Address.strap)
      await simulator.setPowered(false)
      await simulator.killDaemon()
      let running = try Blectl(bus: simulated.address).start(
        [
          "subscribe", "Heart Strap", "2a37", "--reconnect", "--reconnect-delay", "1s", "--timeout", "2s",
          "--count", "1",
        ], limit: .seconds(60))
      #expect(await running.waitForErrors { $0 == "waiting for bluetoothd\n" })
      try await simulator.startDaemon()
      #expect(
        await running.waitForErrors {
          $0.hasSuffix("waiting for the adapter to be switched on (blectl adapter on)\n")
        })
      await simulator.setPowered(true)
      #expect(await running.waitForErrors { $0.hasSuffix("waiting for Heart Strap\n") })
      await simulator.appear(Address.strap)
      let result = await running.result()
      #expect(result.status == 0)
      #expect(result.lines.count == 1)
    }
  }

  @Test("--reconnect waits for the bus")
  func bus() async throws {
    try await TemporaryFile.with([], named: "bus") { file in
      let running = try Blectl(bus: "unix:path=\(file.path)").start(
        ["subscribe", Address.strap, "2a37", "--reconnect", "--reconnect-delay", "1s", "--count", "1"],
        limit: .seconds(60))
      #expect(await running.waitForErrors { $0 == "waiting for the bus\n" })
      try await withSimulator { simulated in
        let words = simulated.address.split { $0 == "=" || $0 == "," }
        #expect(words.first == "unix:path")
        #expect(unlink(file.path) == 0 && symlink(String(words[1]), file.path) == 0)
        let result = await running.result()
        #expect(result.status == 0)
        #expect(result.lines.count == 1)
      }
    }
  }

  @Test(
    "A bus that stays away for longer than --reconnect-limit ends the command with status 3, and its reason")
  func lostBus() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["subscribe", Address.strap, "2a37", "--reconnect", "--reconnect-limit", "1s", "--json"],
        limit: .seconds(60))
      #expect(await running.waitForLines(2))
      try await simulated.simulator.perform(.daemon(.killBus))
      let result = await running.result()
      #expect(result.status == 3)
      #expect(
        result.errorText.contains(
          "blectl: cannot connect to \(Address.strap) again: the connection to the bus is lost"))
    }
  }

  @Test(
    "A refusal that may pass is tried again, at the first contact and after a loss",
    arguments: [[], ["--all"]])
  func refusal(options: [String]) async throws {
    try await withSimulator { simulated in
      let fault = ControlCommand(
        .characteristic(Self.beats, .answer(AnswerFault(.error(0x11), to: .subscribe, times: 1))))
      try await simulated.simulator.perform(fault)
      let running = try Blectl(bus: simulated.address).start(
        ["subscribe", Address.strap, "2a37", "--reconnect", "--json"] + options, limit: .seconds(60))
      #expect(await running.waitForLines(2))
      try await simulated.simulator.perform(fault)
      await simulated.simulator.dropLink(Address.strap)
      #expect(
        await running.waitForOutput { text in
          text.split(separator: "\n").drop { !$0.contains("reconnected") }.count >= 3
        })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      let links = try events(result).filter { $0 != "value" }
      #expect(links == ["connected", "disconnected", "reconnected"])
    }
  }

  @Test("A refusal that waiting does not change ends the command at once")
  func lastingRefusal() async throws {
    try await withSimulator { simulated in
      try await simulated.simulator.perform(
        ControlCommand(.characteristic(Self.beats, .answer(AnswerFault(.error(0x06), to: .subscribe)))))
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", Address.strap, "2a37", "--reconnect")
      #expect(result.status == 1)
      #expect(result.errorText.contains("cannot subscribe to 2a37"))
    }
  }

  @Test("Attempts have pauses between them, also with --reconnect-delay 0")
  func pauses() async throws {
    try await withSimulator { simulated in
      try await hold(simulated)
      let options = ["--reconnect", "--reconnect-delay", "0", "--reconnect-limit", "1s", "-vv"]
      let result = try await Blectl(bus: simulated.address).start(
        ["subscribe", Address.strap, "2a37"] + options, limit: .seconds(30)
      ).result()
      let attempts = result.errorText.split(separator: "\n").filter {
        $0.contains("→ ") && $0.contains("StartNotify")
      }
      #expect((2...20).contains(attempts.count), "\(attempts.count)")
    }
  }

  @Test(
    "--reconnect-limit bounds the wait for the first link, and its end says what was missing",
    arguments: [
      (DaemonAction.kill, 3, "the Bluetooth service (org.bluez) is not running"),
      (DaemonAction.doubleSignals(), 4, "cannot find Nobody: not found before the timeout"),
    ])
  func limit(_ fault: DaemonAction, _ status: Int32, _ message: String) async throws {
    try await withSimulator { simulated in
      try await simulated.simulator.perform(.daemon(fault))
      let result = try await Blectl(bus: simulated.address).start(
        ["subscribe", "Nobody", "2a37", "--timeout", "200ms", "--reconnect", "--reconnect-limit", "300ms"],
        limit: .seconds(60)
      ).result()
      #expect(result.status == status)
      #expect(result.errorText.contains(message))
    }
  }

  @Test("A device that is away for longer than --reconnect-limit is not said to need a longer --timeout")
  func away() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["subscribe", Address.strap, "2a37", "--reconnect", "--reconnect-limit", "1s"], limit: .seconds(60))
      #expect(await running.waitForLines(1))
      await simulated.simulator.vanish(Address.strap)
      await simulated.simulator.dropLink(Address.strap)
      let result = await running.result()
      #expect(result.status == 5)
      #expect(
        result.errorText.contains(
          """
          no connection within --reconnect-limit
          hint: use a longer --reconnect-limit, or move closer to the device

          """), "\(result.errorText)")
    }
  }

  @Test("The first attempt has --timeout, however short --reconnect-limit is")
  func firstAttempt() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", Address.strap, "2a37", "--reconnect", "--reconnect-limit", "1ms", "--count", "1")
      #expect(result.status == 0, "\(result.errorText)")
    }
  }

  @Test("--reconnect does not wait for what will never come: a characteristic that the device does not have")
  func missing() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run(
        "subscribe", Address.strap, "2a6e", "--reconnect")
      #expect(result.status == 4)
    }
  }
}
