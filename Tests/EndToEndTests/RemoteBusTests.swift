// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `-H`: what the end, or the silence, of ssh does.
@Suite("Bus of another host")
struct RemoteBusTests {
  private static let beats = ["subscribe", Address.strap, "2a37", "-H", "attic"]

  @Test("Ctrl-C ends a command within about a second while ssh hangs")
  func interrupted() async throws {
    try await withSimulator { simulated in
      let host = try FakeHost(bus: simulated.address)
      let running = try host.start(Self.beats)
      #expect(await running.waitForLines(1))
      try host.signal(SIGSTOP)
      let start = ContinuousClock.now
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(ContinuousClock.now - start < .seconds(2))
    }
  }

  @Test("--timeout holds while ssh hangs, and the error names the host")
  func silent() async throws {
    try await withSimulator { simulated in
      let host = try FakeHost(bus: simulated.address)
      let running = try host.start(
        ["read", Address.strap, "2a38", "--every", "100ms", "--timeout", "5s", "-H", "pi@attic:2222"])
      #expect(await running.waitForLines(1))
      try host.signal(SIGSTOP)
      let start = ContinuousClock.now
      let result = await running.result()
      #expect(ContinuousClock.now - start < .seconds(8))
      #expect(result.status == 3)
      #expect(
        result.errorText
          == """
          blectl: cannot read 2a38 of \(Address.strap): pi@attic:2222 does not answer
          hint: ssh -p 2222 pi@attic

          """)
    }
  }

  @Test("The loss of ssh names the host", arguments: [[], ["--all"]])
  func lost(options: [String]) async throws {
    try await withSimulator { simulated in
      let host = try FakeHost(bus: simulated.address)
      let running = try host.start(Self.beats + options)
      #expect(await running.waitForLines(1))
      try host.signal(SIGKILL)
      let result = await running.result()
      #expect(result.status == 3)
      #expect(
        result.errorText.hasSuffix("the connection to attic is lost\nhint: ssh attic\n"),
        "\(result.errorText)")
    }
  }

  @Test(
    "A link that was opened before ssh was lost is closed at the end, one of another program is not",
    arguments: [true, false])
  func inherited(isOurs: Bool) async throws {
    try await withSimulator { simulated in
      if !isOurs {
        #expect(try await Blectl(bus: simulated.address).run("connect", Address.strap).status == 0)
      }
      let host = try FakeHost(bus: simulated.address)
      let running = try host.start(Self.beats + ["--reconnect", "--json", "-vv"])
      #expect(await running.waitForLines(2))
      try host.signal(SIGKILL)
      #expect(
        await running.waitForOutput { text in
          text.split(separator: "\n").drop { !$0.contains("reconnected") }.count >= 2
        })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      #expect(result.errorText.contains("org.bluez.Device1.Disconnect()") == isOurs)
    }
  }

  @Test("A host that is named twice is one")
  func twice() async throws {
    try await withSimulator { simulated in
      let host = try FakeHost(bus: simulated.address)
      let result = try await host.start(
        ["scan", "-H", "attic", "-H", "attic", "--name", "Heart Strap", "--duration", "3s", "--json"]
      ).result()
      #expect(result.status == 0)
      let found = try result.records.filter { $0["event"]?.text == "found" }
      let hosts = found.map { $0["host"]?.text }
      #expect(hosts == [nil])
    }
  }

  @Test("A hint about bluetoothd says on which host it helps")
  func service() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.killDaemon()
      let host = try FakeHost(bus: simulated.address)
      let result = try await host.start(["devices", "-H", "attic"]).result()
      #expect(result.status == 3)
      #expect(
        result.errorText.hasSuffix("hint: on attic: sudo systemctl start bluetooth\n"), "\(result.errorText)")
    }
  }

  @Test("A login that prints text is the reason why the bus cannot be reached")
  func chatty() async throws {
    try await withSimulator { simulated in
      let host = try FakeHost(bus: simulated.address)
      let result = try await host.start(
        ["devices", "-H", "attic"], login: "Welcome to attic\nIt is warm\n"
      ).result()
      #expect(result.status == 3)
      #expect(
        result.errorText
          == """
          blectl: cannot reach the bus of attic: its login prints text: 'Welcome to attic'
          hint: ssh attic true prints it too; let ~/.bashrc there print only on a terminal

          """)
    }
  }
}
