// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Serial ports")
  struct Serial {
    @Test(
      "100 kB through a device that sends them back come out whole and in order", arguments: [false, true])
    func echo(isConfirmed: Bool) async throws {
      let blectl = Blectl(bus: try await Stages.shared.value.address)
      // With responses, each packet takes a turn of its own.
      let bytes = (0..<(isConfirmed ? 10_000 : 100_000)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
      let running = try blectl.start(
        [
          "serial", "Contract Bench", "--rx", BuiltIn.bench(0x0106).description, "--tx",
          BuiltIn.bench(0x0107).description, "--linger", "5s",
        ] + (isConfirmed ? ["--with-response"] : []), input: nil)
      running.send(input: bytes)
      let result = await running.result()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.output == bytes)
      #expect(result.errorText == "sent \(bytes.count) bytes, received \(bytes.count) bytes\n")
    }

    /// The L2CAP channel of the Contract Bench that sends back what it gets.
    private static let echo = ["Contract Bench", "--psm", "0x80"]

    @Test("100 kB through the L2CAP channel of a device that sends them back come out whole and in order")
    func channel() async throws {
      let blectl = Blectl(bus: try await Stages.shared.value.address)
      let bytes = Channels.noise(100_000)
      let running = try blectl.start(["serial"] + Self.echo + ["--linger", "5s"], input: nil)
      running.send(input: bytes)
      let result = await running.result()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.output == bytes)
      #expect(result.errorText == "sent \(bytes.count) bytes, received \(bytes.count) bytes\n")
    }

    @Test("A file that goes through an L2CAP channel is reported as sent when it has arrived")
    func file() async throws {
      let blectl = Blectl(bus: try await Stages.shared.value.address)
      let running = try blectl.start(["send", "Contract Bench", "-", "--psm", "0x80", "--json"], input: nil)
      running.send(input: Channels.noise(100_000))
      let result = await running.result()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.text.contains(#""event":"sent""#))
      #expect(result.text.contains(#""psm":128,"bytes":100000"#))
    }
  }
}
