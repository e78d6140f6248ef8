// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// `uart` of a world file, which the first adapter serves and `blectl serial` uses on the second one.
  @Suite("Serving serial ports of world files", .serialized)
  struct ServingSerial {
    /// Serves a device with a port, and sends it bytes.
    private static func exchange(_ port: String, _ bytes: [UInt8]) async throws -> ToolResult {
      let bus = try await Stages.twoAdapters.value.address
      let central = try await CentralManager(bus: .address(bus), adapter: "hci1")
      try await ServingStage.forgetFirst(central)
      await central.close()
      let world = #"{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Board", "uart": \#(port)}]}"#
      return try await TemporaryFile.with(Array(world.utf8)) { file in
        let serving = try Blectl(bus: bus).start(
          ["serve", file.path, "-i", "hci0"], limit: .seconds(500))
        #expect(await serving.waitForOutput { $0.contains("advertising") })
        let running = try Blectl(bus: bus).start(
          ["serial", "Board", "--linger", "5s", "-i", "hci1", "--timeout", "60s"], input: nil,
          limit: .seconds(400))
        running.send(input: bytes)
        let result = await running.result()
        serving.send(signal: SIGINT)
        let served = await serving.result()
        #expect(served.signal == SIGINT, "\(served.errorText)")
        #expect(!served.errorText.contains("dropped"), "\(served.errorText)")
        return result
      }
    }

    @Test("What a central sends to the port comes back whole and in order")
    func echo() async throws {
      let count = Stages.isReal ? 20_000 : 100_000
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
      let result = try await Self.exchange("true", bytes)
      #expect(result.status == 0, "\(result.errorText)")
      // Between its two adapters, BlueZ 5.66 uses several channels of ATT, on which packets overtake each other.
      if Stages.isReal {
        #expect(result.output.sorted() == bytes.sorted())
      } else {
        #expect(result.output == bytes)
      }
      #expect(result.errorText == "sent \(count) bytes, received \(count) bytes\n")
    }

    @Test("The port greets, and answers lines", arguments: ["nordic", "hm-10"])
    func answers(_ service: String) async throws {
      let port = """
        {"service": "\(service)", "greeting": "a board that greets at length\\r\\n", "answers": {"AT": "OK\\r\\n"},
         "otherwise": "ERROR\\r\\n"}
        """
      let result = try await Self.exchange(port, Array("AT\rATX\r\n\nAT\n".utf8))
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.text == "a board that greets at length\r\nOK\r\nERROR\r\nOK\r\n")
    }
  }
}
