// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Recovery of adapters", .timeLimit(.minutes(5)))
struct AdapterRecoveryTests {
  /// Waits for some records of a recovery, each a step or what has helped.
  private func expect(_ parts: [String], from running: ToolRun) async throws -> ToolResult {
    let cameAll = await running.waitForOutput { text in
      var rest = text[...]
      return parts.allSatisfy { part in
        guard let place = rest.ranges(of: part).first else { return false }
        rest = rest[place.upperBound...]
        return true
      }
    }
    running.send(signal: SIGINT)
    let result = await running.result()
    #expect(cameAll, "\(result.text) \(result.errorText)")
    return result
  }

  private static func step(_ name: String) -> String { #""step":"\#(name)""# }

  @Test(
    "Listening goes on after an adapter that went silent was healed, each step said",
    arguments: [
      (AdapterCure.restart, ["restart_discovery"]), (.power, ["restart_discovery", "power_cycle"]),
    ])
  func listening(cure: AdapterCure, steps: [String]) async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start([
        "listen", "--all", "--json", "--recover", "--recover-after", "2s",
      ])
      #expect(await running.waitForOutput { $0.contains(#""event":"value""#) })
      await simulated.simulator.silence(until: cure)
      let result = try await expect(
        steps.map(Self.step) + [#""event":"recovered""#, #""event":"value""#], from: running)
      for step in try result.records.filter({ $0["event"]?.text == "recovering" }) {
        #expect(step["adapter"]?.text == "hci0")
        #expect(step["reason"]?.text?.contains("nothing was heard for 2s") == true)
      }
      #expect(result.errorText.contains("trying to start the discovery of hci0 again"), "\(result.errorText)")
      #expect(result.errorText.contains("the adapter works again"))
    }
  }

  @Test("An adapter that nothing heals gets one round of steps, and no more")
  func bounded() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start([
        "listen", "--all", "--json", "--recover", "--recover-after", "500ms", "--duration", "9s",
      ])
      #expect(await running.waitForOutput { $0.contains(#""event":"value""#) })
      await simulated.simulator.silence(until: .reset)
      let result = await running.result()
      let records = try result.records.filter { $0["event"]?.text == "recovering" }
      let begun = records.filter { $0["reason"]?.text?.hasPrefix("failed") == false }
      let steps = begun.map { $0["step"]?.text }
      #expect(steps == ["restart_discovery", "power_cycle", "reset_usb"])
      #expect(records.last?["reason"]?.text?.hasPrefix("failed") == true, "\(result.text)")
      #expect(result.errorText.contains("cannot reset the USB device of hci0"), "\(result.errorText)")
      let words = "reset the USB device of hci0: the kernel's Bluetooth cannot be reached: "
      #expect(!result.errorText.contains("noKernel") && !result.text.contains("noKernel"))
      #expect(result.errorText.contains(words) || result.errorText.contains("hci0: only the kernel"))
    }
  }

  @Test("A place without devices is no fault of the adapter, and without --recover nothing is switched off")
  func nothingToHeal() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.silence(until: .power)
      let quiet = try await Blectl(bus: simulated.address).run(
        "listen", "--all", "--json", "--recover", "--recover-after", "500ms", "--duration", "3s")
      #expect(!quiet.text.contains("recovering"), "\(quiet.text)")
      let usage = try await Blectl(bus: simulated.address).run("listen", "--recover-after", "1s")
      #expect(usage.status == 64)
      let plain = try await Blectl(bus: simulated.address).run("subscribe", "Strap", "2a37", "--recover")
      #expect(plain.status == 64 && plain.errorText.contains("--recover needs --reconnect"))
    }
  }

  @Test("A watch that scans recovers as well")
  func monitoring() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start([
        "monitor", "--scan", "--json", "--recover", "--recover-after", "2s",
      ])
      #expect(await running.waitForOutput { $0.contains(#""event":"found""#) })
      await simulated.simulator.silence(until: .power)
      _ = try await expect(
        [Self.step("restart_discovery"), Self.step("power_cycle"), #""event":"recovered""#], from: running)
    }
  }

  @Test("A subscription comes back when its adapter connects to nothing, although it hears the device")
  func connecting() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start([
        "subscribe", Address.strap, "2a37", "--reconnect", "--json", "--recover", "--recover-after", "4s",
      ])
      #expect(await running.waitForOutput { $0.contains(#""event":"value""#) })
      await simulated.simulator.ignoreConnects(until: .power)
      await simulated.simulator.dropLink(Address.strap)
      let result = try await expect(
        [
          #""event":"disconnected""#, Self.step("power_cycle"), #""event":"reconnected""#,
          #""event":"value""#,
        ], from: running)
      #expect(!result.text.contains("restart_discovery"))
      #expect(result.errorText.contains("the device is heard, and no attempt to connect succeeds"))
    }
  }

  @Test("An adapter is reset by hand: without USB it is switched off and on, and is on after that")
  func reset() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run("adapter", "reset", "--json")
      #expect(result.status == 0, "\(result.errorText)")
      #expect(try result.records.first?["powered"]?.flag == true, "\(result.text)")
      #expect(result.errorText.contains("no USB reset: "))
      #expect(result.errorText.contains("hci0 was switched off and on"))
    }
  }
}
