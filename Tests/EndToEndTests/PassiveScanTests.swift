// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

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

  @Test("On a terminal there is a table, as of an active scan")
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

  @Test("A scan that BlueZ gives up ends with status 1; the next one begins anew")
  func released() async throws {
    try await withSimulator(isExperimental: true) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let running = try blectl.start(["scan", "--passive", "--duration", "0"])
      #expect(await running.waitForLines(1))
      await simulated.simulator.releaseMonitors()
      let result = await running.result()
      #expect(result.status == 1)
      #expect(
        result.errorText == "blectl: cannot scan passively: BlueZ has ended the scan of its own accord\n")
      #expect(try await blectl.run("scan", "--passive", "--count", "1", "--duration", "60s").status == 0)
    }
  }

  @Test("An adapter that is unplugged ends it with that reason")
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
