// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// `uart` of a world file, which the first adapter serves and `blectl serial` uses on the second one.
  @Suite("Serving serial ports of world files", .serialized)
  struct ServingSerial {
    private static let first = ["-i", "hci0"]
    private static let second = ["-i", "hci1"]

    /// Bytes that differ at every place of a packet.
    private static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    /// Serves a device with a port, and runs a client that `body` gives its input.
    private static func exchange(
      _ port: String, _ options: [String] = [], _ body: (ToolRun, Blectl) async throws -> Void
    ) async throws -> ToolResult {
      let blectl = Blectl(bus: try await Stages.twoAdapters.value.address)
      let central = try await CentralManager(bus: .address(blectl.bus ?? ""), adapter: "hci1")
      try await ServingStage.forgetFirst(central)
      await central.close()
      let world = #"{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Board", "uart": \#(port)}]}"#
      return try await TemporaryFile.with(Array(world.utf8)) { file in
        let serving = try blectl.start(["serve", file.path] + first, limit: .seconds(500))
        #expect(await serving.waitForOutput { $0.contains("advertising") })
        let running = try blectl.start(
          ["serial", "Board", "--linger", "5s", "--timeout", "60s"] + options + second, input: nil,
          limit: .seconds(400))
        try await body(running, blectl)
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
      let result = try await Self.exchange("true") { running, _ in running.send(input: Self.bytes) }
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.output == Self.bytes)
      #expect(result.errorText == "sent 100000 bytes, received 100000 bytes\n")
    }

    @Test("Bytes come back whole and in order while the server ends the link again and again between them")
    func losses() async throws {
      // Each takes the 2 s that bluetoothd waits before it ends a link.
      let losses = Stages.isReal ? 20 : 5
      let central = try await CentralManager(
        bus: .address(try await Stages.twoAdapters.value.address), adapter: "hci1")
      let address = try #require(await central.adapters.first { $0.id == "hci1" }?.address)
      await central.close()
      let result = try await Self.exchange("true", ["--reconnect"]) { running, blectl in
        var rest = Self.bytes[...]
        for loss in 1...losses {
          running.add(input: Array(rest.prefix(Self.bytes.count / (losses + 1))))
          rest = rest.dropFirst(Self.bytes.count / (losses + 1))
          guard await running.waitForBytes(Self.bytes.count - rest.count) else { return }
          let ended = try await blectl.start(["disconnect", address, "-q"] + Self.first).result()
          #expect(ended.status == 0, "\(ended.errorText)")
          let isBack = await running.waitForErrors { text in
            text.split(separator: "\n").count { $0.contains(" reconnected after ") } >= loss
          }
          guard isBack else { return }
        }
        running.send(input: Array(rest))
      }
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.output == Self.bytes)
      #expect(
        result.errorText.hasSuffix("\nsent 100000 bytes, received 100000 bytes\n"), "\(result.errorText)")
    }

    @Test("The port greets, and answers lines", arguments: ["nordic", "hm-10"])
    func answers(_ service: String) async throws {
      let port = """
        {"service": "\(service)", "greeting": "a board that greets at length\\r\\n", "answers": {"AT": "OK\\r\\n"},
         "otherwise": "ERROR\\r\\n"}
        """
      let result = try await Self.exchange(port) { running, _ in
        running.send(input: Array("AT\rATX\r\n\nAT\n".utf8))
      }
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.text == "a board that greets at length\r\nOK\r\nERROR\r\nOK\r\n")
    }
  }
}
