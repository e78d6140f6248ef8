// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import Dispatch
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Scans by name")
struct NamedScanTests {
  @Test(
    "Names that are heard are suggested for one that matches none, since only whole names match",
    arguments: [
      ("Band", "MI Band 2"), ("mi band 2", "MI Band 2"), ("Pinao", "Piano"), ("MI Band*", nil),
      ("xyzzy", nil),
    ])
  func suggestion(_ pattern: String, _ name: String?) async throws {
    let result = try await Blectl().run("scan", "--name", pattern, "--duration", "3s", "--simulate")
    #expect(result.status == 0)
    let remark = name.map { "no whole name matches '\(pattern)'; did you mean \($0)?\n" }
    #expect(result.errorText == remark ?? "")
  }
}

@Suite("Passive scans")
struct PassiveScanTests {
  @Test("--simulate lets passive scanning be tried: names that stand in scan responses are missing")
  func simulate() async throws {
    let result = try await Blectl().run(
      "scan", "--passive", "--simulate", "--count", "7", "--duration", "60s")
    #expect(result.status == 0, "\(result.errorText)")
    let strap = try #require(result.lines.first { $0.contains("F0:F1:F2:F3:F4:F5") })
    #expect(strap.split(separator: "\t", omittingEmptySubsequences: false)[3].isEmpty)
    #expect(result.text.contains("\tMI Band 2\t"))
  }

  @Test("On a terminal, a passive scan shows a table like an active one")
  func terminal() async throws {
    try await withSimulator(isExperimental: true) { simulated in
      let result = try await Blectl(bus: simulated.address).onTerminal([
        "scan", "--passive", "--count", "7", "--duration", "60s",
      ])
      #expect(result.status == 0)
      #expect(result.text.contains("Thermometer"))
      #expect(!result.text.contains("Heart Strap"))
    }
  }

  @Test("With --duplicates each advertisement is a record, until Ctrl-C")
  func duplicates() async throws {
    try await withSimulator(isExperimental: true) { simulated in
      let running = try Blectl(bus: simulated.address).start([
        "scan", "--passive", "--duplicates", "--duration", "0", "--address", "D0:B5:C2:0A:0B:0C", "--json",
      ])
      #expect(await running.waitForLines(4))
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      let events = try result.records.map { $0["event"]?.text }
      #expect(events.first == "found")
      #expect(events.dropFirst().allSatisfy { $0 == "changed" })
    }
  }

  @Test("A scan that BlueZ gives up ends with status 1, and the next one starts afresh")
  func released() async throws {
    try await withSimulator(isExperimental: true) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let running = try blectl.start(["scan", "--passive", "--duration", "0"])
      #expect(await running.waitForLines(1))
      await simulated.simulator.releaseMonitors()
      let result = await running.result()
      #expect(result.status == 1)
      #expect(
        result.errorText == "blectl: cannot scan passively: BlueZ ended the scan\n")
      #expect(try await blectl.run("scan", "--passive", "--count", "1", "--duration", "60s").status == 0)
    }
  }

  @Test("An adapter that is unplugged ends a passive scan with that reason")
  func unplugged() async throws {
    try await withSimulator(isExperimental: true) { simulated in
      let running = try Blectl(bus: simulated.address).start(["scan", "--passive", "--duration", "0"])
      #expect(await running.waitForLines(1))
      await simulated.simulator.removeAdapter()
      let result = await running.result()
      #expect(result.status == 3)
      #expect(result.errorText.contains("there is no Bluetooth adapter"))
    }
  }
}

/// A scan never goes silent: it goes on, or ends with the reason.
@Suite("Scans that are interrupted")
struct ScanHealingTests {
  /// A computer whose first adapter is off at first, so that the second one scans.
  private static let twoAdapters: World = {
    var world = World.builtIn
    world.adapters = [
      AdapterSpec(isPowered: false), AdapterSpec(name: "hci1", address: "00:1A:7D:DA:71:14"),
    ]
    return world
  }()

  @Test(
    "A scan ends with the reason when its adapter goes, though another one is on",
    arguments: [(true, "the adapter hci1 is gone"), (false, "the adapter hci1 is off")])
  func otherAdapter(_ isUnplugged: Bool, _ reason: String) async throws {
    try await withSimulator(world: Self.twoAdapters) { simulated in
      let simulator = simulated.simulator
      let blectl = Blectl(bus: simulated.address)
      let running = try blectl.start(["scan", "--duration", "0", "--duplicates"], limit: .seconds(30))
      #expect(await running.waitForLines(1))
      #expect(try await blectl.run("adapter", "on", "-i", "hci0").status == 0)
      if isUnplugged {
        await simulator.removeAdapter("hci1")
      } else {
        await simulator.setPowered(false, adapter: "hci1")
      }
      let result = await running.result()
      #expect(result.status == 3)
      #expect(result.errorText.contains("cannot scan: \(reason)"), "\(result.errorText)")
    }
  }

  /// A BlueZ that brings a device with our first session, ends that on request, refuses new ones that many times,
  /// and brings another device with the next one.
  private func fake(refusals: Int, ending: DispatchSemaphore) throws -> FakeBlueZ {
    let starts = Lock(0)
    return try FakeBlueZ(
      answer: { call in
        guard call.member == "StartDiscovery", (1...refusals).contains(starts.withLock { $0 }) else {
          return nil
        }
        return Message(
          errorTo: call, name: "org.bluez.Error.InProgress", text: "Operation already in progress")
      },
      script: { bus in
        let number = starts.withLock { starts in
          defer { starts += 1 }
          return starts
        }
        if number == 0 {
          ScanHealingTests.set(discovering: true, bus)
          ScanHealingTests.appear(0, bus)
          ending.wait()
          ScanHealingTests.set(discovering: false, bus)
        } else if number > refusals {
          ScanHealingTests.appear(1, bus)
        }
      })
  }

  private static func set(discovering isOn: Bool, _ bus: ScriptedBus) {
    bus.send(
      FakeBlueZ.changed(FakeBlueZ.adapterPath, of: "org.bluez.Adapter1", [("Discovering", .boolean(isOn))]),
      from: FakeBlueZ.name)
  }

  private static func appear(_ index: Int, _ bus: ScriptedBus) {
    bus.send(FakeBlueZ.added(FakeBlueZ.devicePath(index), FakeBlueZ.device(index)), from: FakeBlueZ.name)
  }

  /// Scans until the session is lost and refused that many times.
  private func scan(refusals: Int) async throws -> ToolResult {
    let ending = DispatchSemaphore(value: 0)
    let fake = try fake(refusals: refusals, ending: ending)
    let running = try Blectl(bus: fake.address).start(["scan", "--count", "2", "--duration", "60s"])
    #expect(await running.waitForLines(1))
    ending.signal()
    return await running.result()
  }

  @Test("A session that is lost and then refused for some seconds is asked for until it is there again")
  func refused() async throws {
    let result = try await scan(refusals: 9)
    #expect(result.status == 0)
    #expect(result.lines.count == 2, "\(result.errorText)")
  }

  @Test("A session that is lost and refused for too long ends the scan with the reason")
  func refusedForEver() async throws {
    let result = try await scan(refusals: .max - 1)
    #expect(result.status == 1)
    #expect(result.errorText.hasPrefix("blectl: cannot scan: "), "\(result.errorText)")
  }

  @Test("A scan goes on if its StartDiscovery, sent at the same time as another program's, gets no answer")
  func race() async throws {
    var timing = SimulatorTiming.brisk
    timing.scanStart = .seconds(2)
    try await withSimulator(timing: timing) { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["scan", "--count", "1", "--duration", "60s", "-vv"])
      #expect(await running.waitForErrors { $0.contains("StartDiscovery") })
      // Where ours is still on its way to the bus, the other program's is the one that is not answered.
      _ = try? await simulated.simulator.perform(ControlCommand(.otherClient(.scan())))
      let result = await running.result()
      #expect(result.status == 0)
      #expect(result.lines.count == 1)
    }
  }
}
