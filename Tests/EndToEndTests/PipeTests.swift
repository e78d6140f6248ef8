// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Signals and pipes")
struct PipeTests {
  private static let strap = "F0:F1:F2:F3:F4:F5"

  @Test(
    "A reader that goes away ends the command quietly, as SIGPIPE would",
    arguments: [
      "scan --duration 0 --duplicates", "subscribe 'Heart Strap' 2a37", "subscribe 'Heart Strap' 2a37 --json",
    ])
  func headOne(_ command: String) async throws {
    try await withSimulator { simulated in
      let script = "\(Blectl.path) \(command) | head -1 >/dev/null; echo ${PIPESTATUS[0]}"
      let result = try await ToolRun(
        "/bin/bash", ["-c", script], environment: ["DBUS_SYSTEM_BUS_ADDRESS": simulated.address]
      ).result()
      #expect(result.text == "141\n")
      #expect(result.errorText.isEmpty)
      try await expectQuiet(simulated)
    }
  }

  @Test(
    "Ctrl-C and SIGTERM stop scanning and notifications, and close the link", arguments: [SIGINT, SIGTERM])
  func signals(_ signal: Int32) async throws {
    try await withSimulator { simulated in
      for arguments in [["scan", "--duration", "0", "--duplicates"], ["subscribe", "Heart Strap", "2a37"]] {
        let running = try Blectl(bus: simulated.address).start(arguments)
        #expect(await running.waitForLines(1))
        running.send(signal: signal)
        let result = await running.result()
        #expect(result.signal == signal)
        #expect(result.errorText.isEmpty)
      }
      try await expectQuiet(simulated)
    }
  }

  @Test("An output that cannot be written to is an error")
  func fullDisk() async throws {
    let script = "\(Blectl.path) adapter --simulate >/dev/full"
    let result = try await ToolRun("/bin/sh", ["-c", script]).result()
    #expect(result.status == 1)
    #expect(result.errorText == "blectl: cannot write the output: No space left on device\n")
  }

  @Test("A scan that reaches its end is done, also without a device")
  func scanEnds() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("scan", "--name", "Nobody*", "--duration", "300ms").status == 0)
      #expect(try await blectl.run("scan", "--count", "2").lines.count == 2)
      #expect(try await blectl.run("subscribe", "Heart Strap", "2a37", "--duration", "700ms").status == 0)
      try await expectQuiet(simulated)
    }
  }

  @Test("connect --stay opens the link again, until Ctrl-C closes it")
  func stay() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(["connect", "Heart Strap", "--stay", "--json"])
      #expect(await running.waitForLines(1))
      await simulated.simulator.dropLink(Self.strap)
      #expect(await running.waitForLines(3))
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(try result.records.map { $0["event"]?.text } == ["connected", "disconnected", "reconnected"])
      try await expectQuiet(simulated)
    }
  }

  /// Nothing of ours goes on: no scan, no link.
  private func expectQuiet(_ simulated: SimulatedBus) async throws {
    let adapter = try await Blectl(bus: simulated.address).run("adapter", "show", "--json")
    #expect(try adapter.records.first?["discovering"]?.flag == false)
    let disconnected = try await Blectl(bus: simulated.address).run("disconnect", Self.strap, "-q")
    #expect([0, 4].contains(disconnected.status))
    #expect(await !simulated.simulator.isConnected(Self.strap))
  }
}
