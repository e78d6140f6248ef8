// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// `uart` of a world file, which the first adapter serves and `blectl serial` uses on the second one.
  @Suite("Serving serial ports of world files", .serialized)
  struct ServingSerial {
    /// Bytes that differ at every place of a packet.
    private static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    /// Serves a device with a port, and runs a client that `body` gives its input; `body` also gets what ends the link from
    /// the other side.
    private static func exchange(
      _ port: String, _ options: [String] = [],
      _ body: (ToolRun, _ hangUp: () async throws -> Void) async throws -> Void
    ) async throws -> ToolResult {
      let bus = try await Stages.twoAdapters.value.address
      let blectl = Blectl(bus: bus)
      let central = try await CentralManager(bus: .address(bus), adapter: "hci1")
      try await ServingStage.forgetFirst(central)
      let second = try await ServingStage.address(of: "hci1", central)
      await central.close()
      let world = #"{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Board", "uart": \#(port)}]}"#
      return try await TemporaryFile.with(Array(world.utf8)) { file in
        let serving = try blectl.start(["serve", file.path, "-i", "hci0"], limit: .seconds(500))
        #expect(await serving.waitForOutput { $0.contains("advertising") })
        let running = try blectl.start(
          ["serial", "Board", "--linger", "5s", "-i", "hci1", "--timeout", "60s"] + options, input: nil,
          limit: .seconds(400))
        try await body(running) {
          let ended = try await blectl.run("disconnect", "\(second)", "-q", "-i", "hci0")
          #expect(ended.status == 0, "\(ended.errorText)")
        }
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
      let part = Self.bytes.count / (losses + 1)
      let result = try await Self.exchange("true", ["--reconnect"]) { running, hangUp in
        var rest = Self.bytes[...]
        for loss in 1...losses {
          running.add(input: Array(rest.prefix(part)))
          rest = rest.dropFirst(part)
          guard await running.waitForBytes(Self.bytes.count - rest.count) else { return }
          try await hangUp()
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
