// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@Suite("The command link")
struct LinkCommandTests {
  @Test(
    "Options that no link can have are refused before anything is sent",
    arguments: [
      ["--interval", "5ms"], ["--latency", "500"], ["--supervision-timeout", "40s"], ["--count", "1"],
      ["--phy", "3m"],
    ])
  func usage(_ options: [String]) async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").start(["link", "Strap"] + options).result()
    #expect(result.status == 64 && result.output.isEmpty, "\(result.errorText)")
  }

  @Test("A watched link ends with its error when it is lost")
  func lost() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(["link", Address.strap, "--watch", "--json"])
      #expect(await running.waitForLines(1))
      await simulated.simulator.dropLink(Address.strap)
      let result = await running.result()
      #expect(result.status == 1 && result.errorText.contains("link"), "\(result.errorText)")
    }
  }

  @Test("A watched link whose adapter is pulled ends with status 3, and does not blame the device")
  func adapterGone() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(["link", Address.strap, "--watch", "--json"])
      #expect(await running.waitForLines(1))
      try await simulated.simulator.perform(.adapter(.remove))
      let result = await running.result()
      #expect(result.status == 3, "\(result.errorText)")
      #expect(result.errorText.contains("there is no Bluetooth adapter"), "\(result.errorText)")
    }
  }

  @Test(
    "PHYs of an adapter that is elsewhere, and an advertisement on one that it lacks, are refused honestly")
  func phys() async throws {
    let adapter = try await Blectl().run("adapter", "phy", "1m,2m", "--simulate")
    #expect(adapter.status == 1)
    #expect(
      adapter.errorText.contains("cannot set the PHYs of hci0: only the kernel"), "\(adapter.errorText)")
    let advertise = try await Blectl().run(
      "advertise", "--name", "x", "--secondary", "coded", "--duration", "1s", "--simulate")
    #expect(advertise.status == 1)
    #expect(advertise.errorText.contains("Failed to parse advertisement"), "\(advertise.errorText)")
    #expect(advertise.errorText.contains("hint: without --secondary"), "\(advertise.errorText)")
  }
}
