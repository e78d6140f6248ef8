// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  /// `blectl run` with the scripts of the examples, and what happens to a link within a script.
  @Suite("Scripts")
  struct Scripts {
    private func run(_ device: String, _ script: String, _ options: String...) async throws -> ToolResult {
      try await Blectl(bus: try await Stages.shared.value.address)
        .start(
          // A step is parsed and sent; where the processor is emulated, 345 of them take minutes.
          ["run", device, "-", "--timeout", "60"] + options, input: Array(script.utf8), limit: .seconds(540)
        ).result()
    }

    /// A script of the examples.
    private func example(_ name: String) throws -> String {
      return try #require(RecordedFile.read(RecordedFile.path("Examples/recipes/\(name)")))
    }

    @Test("115 lamps are lit, and a key answers each")
    func lamps() async throws {
      let result = try await run("Piano", try example("lamps.ble"))
      #expect(result.status == 0, "\(result.errorText)")
      let expected = (0..<115).map { "9f54" + String($0 + 0x100, radix: 16).suffix(2) }
      #expect(result.lines.map { String($0.split(separator: "\t").last ?? "") } == expected)
    }

    @Test(
      "A key that does not answer as expected ends the script with its line, the expectation and the value")
    func wrongLamp() async throws {
      let script = try example("lamps.ble").replacing("9f54$LAMP", with: "9f55$LAMP")
      let result = try await run("Piano", script)
      #expect(result.status == 1)
      let lines = result.errorText.split(separator: "\n").map(String.init)
      #expect(
        lines == [
          "blectl: stdin:8: cannot get 9f5500 from ffe2 within 5s: the value was 9f5400",
          "  expect ffe2 9f55$LAMP --within 5s  (LAMP=00)",
        ])
    }

    @Test("A wristband shows its attributes, its software and five heart rates")
    func wristband() async throws {
      let result = try await run("MI Band 2", try example("wristband.ble"))
      #expect(result.status == 0, "\(result.errorText)")
      // Other tests may have written to it.
      let written = try await Blectl(bus: try await Stages.shared.value.address).run(
        "read", "MI Band 2", "fed3")
      #expect(result.text.contains("2a28") && result.lines.last == written.lines.last)
      let other = try await run("MI Band 2", try example("wristband.ble"), "--set", "VERSION=V2")
      #expect(other.status == 1)
      #expect(
        other.errorText.contains(
          "stdin:9: cannot get utf8 = V2 from 2a28: the value was V1.0.1.81 (56312e302e312e3831)"))
    }

    @Test("A script can close its link and open it again")
    func reconnecting() async throws {
      let result = try await run(
        "Heart Strap", "read 2a19\ndisconnect\nconnect\nread 2a19\nexpect 2a37 heart_rate_bpm = 61\n")
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines == ["57", "57"])
    }

    @Test("A link that the device closes ends the script; connect opens another")
    func hangingUp() async throws {
      let hangUp = BuiltIn.bench(0x010c)
      let echo = BuiltIn.bench(0x0107)
      let lost = try await run(
        "Contract Bench", "write \(hangUp) 01\nsubscribe \(echo)\nsleep 5s\nread \(echo)\n")
      #expect(lost.status == 1)
      #expect(lost.text.isEmpty)
      let healed = try await run(
        "Contract Bench", "write \(hangUp) 01\nsleep 5s\nconnect\nread \(BuiltIn.bench(0x0104)) --as utf8\n")
      #expect(healed.status == 0, "\(healed.errorText)")
      #expect(healed.lines == ["fixed"])
    }

    @Test("A value notified between two steps is not lost")
    func backlog() async throws {
      let (input, output) = (BuiltIn.bench(0x0106), BuiltIn.bench(0x0107))
      let result = try await run(
        "Contract Bench",
        """
        subscribe \(output)
        write \(input) 01
        write \(input) 02
        write \(input) 03
        expect \(output) 01
        expect \(output) 03
        """)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines.map { $0.suffix(2) } == ["01", "02", "03"])
    }
  }
}
