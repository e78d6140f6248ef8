// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// `blectl serve` on the first adapter; the second one uses what it serves.
  @Suite("Serving by commands", .serialized)
  struct ServingCommands {
    private static let again = "Lamp is published and advertised again"

    /// A device whose characteristic ffe1 can be read, written and subscribed to; ffe2 copies what is written to it.
    private static func lamp(mtu: Int = 517) -> String {
      """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "mtu": \(mtu),
        "advertisement": {"services": ["ffe0"]}, "services": [{"uuid": "ffe0", "characteristics": [
          {"uuid": "ffe1", "properties": ["read", "write", "notify"], "value": "01"},
          {"uuid": "ffe2", "properties": ["write"], "on_write": {"echo": "ffe1"}}]}]}]}
      """
    }

    /// Runs a test with the file of a device, of which BlueZ knows nothing.
    private static func withLamp(
      mtu: Int = 517, _ body: (_ bus: String, _ file: String) async throws -> Void
    ) async throws {
      let bus = try await Stages.twoAdapters.value.address
      let central = try await CentralManager(bus: .address(bus), adapter: "hci1")
      try await ServingStage.forgetFirst(central)
      await central.close()
      try await TemporaryFile.with(Array(lamp(mtu: mtu).utf8)) { try await body(bus, $0.path) }
    }

    /// Serves the device until the test ends it.
    private static func serve(
      _ arguments: [String] = [], mtu: Int = 517, input: [UInt8]? = [],
      _ body: (_ bus: String, ToolRun) async throws -> Void
    ) async throws {
      try await withLamp(mtu: mtu) { bus, file in
        let serving = try Blectl(bus: bus).start(
          ["serve", file, "-i", "hci0"] + arguments, input: input, limit: .seconds(500))
        #expect(await serving.waitForOutput { $0.contains("advertising") })
        try await body(bus, serving)
        serving.send(signal: SIGINT)
        let result = await serving.result()
        #expect(result.signal == SIGINT, "\(result.errorText)")
      }
    }

    /// Runs blectl on the second adapter.
    private static func central(_ bus: String, _ arguments: String...) async throws -> ToolResult {
      try await startCentral(bus, arguments).result()
    }

    private static func startCentral(_ bus: String, _ arguments: [String]) throws -> ToolRun {
      try Blectl(bus: bus).start(arguments + ["-i", "hci1", "--timeout", "60s"], limit: .seconds(400))
    }

    @Test("The end of the command waits until --exec has run for every written value")
    func hookAtTheEnd() async throws {
      try await Self.withLamp { bus, file in
        let writing =
          #"printf '%s\n' 01 02 03 04 | "$BLECTL" write Lamp ffe1 --from - -q -i hci1 --timeout 60s"#
        let result = try await Blectl(bus: bus).start(
          [
            "serve", file, "-i", "hci0", "-q", "--exec", "sleep 0.2; echo $BLECTL_VALUE", "--", "sh", "-c",
            writing,
          ], environment: ["BLECTL": Blectl.path], limit: .seconds(400)
        ).result()
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.lines == ["01", "02", "03", "04"], "\(result.errorText)")
      }
    }

    @Test("Lines on stdin that are faster than the link are held back, not dropped")
    func fastInput() async throws {
      try await Self.serve(input: nil) { bus, serving in
        let count = 2000
        let subscriber = try Self.startCentral(bus, ["subscribe", "Lamp", "ffe1", "--count", "\(count)"])
        #expect(await serving.waitForOutput { $0.contains("subscribed") })
        serving.send(input: (0..<count).flatMap { Array("ffe1 u32:\($0)\n".utf8) })
        let values = await subscriber.result().lines.compactMap { $0.split(separator: "\t").last }
        #expect(values.count == count)
        #expect(values.last.map(String.init) == "cf070000")
      }
    }

    @Test("Values are cut at the MTU of the central, not at that of the world")
    func largestPacket() async throws {
      let given = String(repeating: "0a", count: 60)
      let written = String(repeating: "0b", count: 60)
      try await Self.serve(mtu: 23, input: nil) { bus, serving in
        let subscriber = try Self.startCentral(bus, ["subscribe", "Lamp", "ffe1", "--count", "2"])
        #expect(await serving.waitForOutput { $0.contains("subscribed") })
        serving.send(input: Array("ffe1 \(given)\n".utf8))
        #expect(await subscriber.waitForLines(1))
        let echoed = try await Self.central(bus, "write", "Lamp", "ffe2", written, "-q")
        #expect(echoed.status == 0, "\(echoed.errorText)")
        let values = await subscriber.result().lines.compactMap { $0.split(separator: "\t").last }
        #expect(values.map(String.init) == [given, written])
      }
    }

    @Test("When the adapter is on again, stderr says so, once")
    func power() async throws {
      let stage = try await Stages.twoAdapters.value
      try await Self.serve { bus, serving in
        for round in 1...2 {
          try await stage.switchOff()
          #expect(await serving.waitForErrors { Self.count("the adapter is off", in: $0) == round })
          try await stage.switchOn()
          #expect(await serving.waitForErrors { Self.count(Self.again, in: $0) == round })
        }
        let read = try await Self.central(bus, "read", "Lamp", "ffe1")
        #expect(read.lines == ["01"], "\(read.errorText)")
      }
    }

    @Test("Advertisements that come back while the adapter is off are on the air when it is on")
    func lostAdverts() async throws {
      let stage = try await Stages.twoAdapters.value
      try await TemporaryFile.with([]) { place in
        let control = place.path + ".control"
        try await Self.serve(["--control", control]) { bus, serving in
          #expect(try await Blectl.say("lose-adverts", of: "C0:00:00:00:00:01", to: control))
          try await stage.switchOff()
          #expect(await serving.waitForErrors { $0.contains("the adapter is off") })
          #expect(try await Blectl.say("heal", of: "C0:00:00:00:00:01", to: control))
          try await stage.switchOn()
          #expect(await serving.waitForErrors { $0.contains(Self.again) })
          let read = try await Self.central(bus, "read", "Lamp", "ffe1")
          #expect(read.lines == ["01"], "\(read.errorText)")
        }
      }
    }

    @Test("A reader of stderr that has stopped does not stop the device")
    func unreadNotes() async throws {
      try await Self.withLamp { bus, file in
        let result = try await Blectl.runScript(
          """
          mkfifo pipe input; sleep 1000 <pipe >/dev/null 2>&1 & R=$!
          $BLECTL serve \(file) -i hci0 <input >output 2>pipe & P=$!
          exec 3>input
          until grep -q advertising output; do kill -0 $P || exit; sleep 0.1; done
          for i in $(seq 5000); do echo 'ffe9 01'; done >&3
          full pipe
          $BLECTL write Lamp ffe1 29 -q -i hci1 --timeout 60s && $BLECTL read Lamp ffe1 -i hci1 --timeout 60s
          kill -INT $P; wait $P; echo "status $?"; kill $R
          """, bus: bus)
        #expect(result.lines == ["29", "status 130"], "\(result.errorText)")
      }
    }

    // MARK: Helpers

    /// How many lines contain a text.
    private static func count(_ text: String, in lines: String) -> Int {
      lines.split(separator: "\n").count { $0.contains(text) }
    }
  }
}
