// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// Values that `serve` gets faster than they can be passed on.
@Suite("Flow of values through serve", .timeLimit(.minutes(3)))
struct ServeFlowTests {
  @Test("The end of the command waits until --exec has run for every written value")
  func hookAtTheEnd() async throws {
    try await ToolFolder.with { folder in
      try folder.write(ServedLamp.world, to: "lamp.json")
      let result = try await folder.run(
        """
        blectl serve lamp.json --simulate -q --exec 'sleep 0.2; echo $BLECTL_VALUE >> values' -- \
        sh -c 'printf "%s\\n" 01 02 03 04 | blectl write Lamp ffe1 --from - -q' && cat values
        """)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines == ["01", "02", "03", "04"], "\(result.errorText)")
    }
  }

  @Test("A value that cannot be passed to --exec is reported, and the device stays on the air")
  func hookWithoutFile() async throws {
    let environment = ["TMPDIR": "/nonexistent/folder"]
    try await ServedLamp.serve(["--exec", "true"], environment: environment) { _, simulated, running in
      for round in 1...2 {
        let written = try await ServedLamp.central(simulated, "write", "Lamp", "ffe1", "05", "-q")
        #expect(written.status == 0)
        let isReported = await running.waitForErrors { errors in
          ServedLamp.count("cannot pass an event to the command: No such file or directory", in: errors)
            == round
        }
        #expect(isReported)
      }
    }
  }

  @Test("Ctrl-C ends the command of --exec, and the values for which it did not run are counted")
  func interruptedHook() async throws {
    try await ServedLamp.serve(["--exec", "echo started; exec sleep 600"]) { _, simulated, running in
      for value in ["01", "02", "03"] {
        let written = try await ServedLamp.central(simulated, "write", "Lamp", "ffe1", value, "-q")
        #expect(written.status == 0)
      }
      #expect(await running.waitForOutput { $0.contains("started") })
      running.send(signal: SIGINT)
      let isCounted = await running.waitForErrors {
        $0.contains("the command of --exec did not run for the last written values: 2")
      }
      #expect(isCounted)
    }
  }

  @Test("Lines on stdin that are faster than the link are held back, not dropped")
  func fastInput() async throws {
    try await ServedLamp.serve(input: nil) { _, simulated, running in
      let count = 20_000
      let subscriber = try Blectl(bus: simulated.address).start(
        ["subscribe", "Lamp", "ffe1", "--count", "\(count)", "--duration", "100s"],
        environment: ["BLECTL_ADAPTER": "hci1"])
      #expect(await running.waitForOutput { $0.contains("subscribed") })
      running.send(input: (0..<count).flatMap { Array("ffe1 u32:\($0)\n".utf8) })
      let values = await subscriber.result().lines.compactMap { $0.split(separator: "\t").last }
      #expect(values.count == count)
      #expect(values.last.map(String.init) == "1f4e0000")
    }
  }

  @Test("Values are cut at the MTU of the central, not at that of the world", arguments: [23, 517])
  func largestPacket(ofWorld mtu: Int) async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "mtu": \(mtu), "services": [
        {"uuid": "ffe0", "characteristics": [
          {"uuid": "ffe1", "properties": ["read", "notify"], "value": "01"},
          {"uuid": "ffe2", "properties": ["write"], "on_write": {"echo": "ffe1"}}]}]}]}
      """
    let given = String(repeating: "0a", count: 60)
    let written = String(repeating: "0b", count: 60)
    try await ServedLamp.serve(world: world, input: nil) { _, simulated, running in
      // The two adapters agree on an MTU of 517.
      let subscriber = try Blectl(bus: simulated.address).start(
        ["subscribe", "Lamp", "ffe1", "--count", "2", "--duration", "100s"],
        environment: ["BLECTL_ADAPTER": "hci1"])
      #expect(await running.waitForOutput { $0.contains("subscribed") })
      running.send(input: Array("ffe1 \(given)\n".utf8))
      #expect(await subscriber.waitForLines(1))
      let echoed = try await ServedLamp.central(simulated, "write", "Lamp", "ffe2", written, "-q")
      #expect(echoed.status == 0, "\(echoed.errorText)")
      let values = await subscriber.result().lines.compactMap { $0.split(separator: "\t").last }
      #expect(values.map(String.init) == [given, written])
      let read = try await ServedLamp.central(simulated, "read", "Lamp", "ffe1")
      #expect(read.text == written + "\n", "\(read.errorText)")
    }
  }

  @Test("With --simulate, an adapter that does not exist is an error")
  func unknownAdapter() async throws {
    let result = try await Blectl().run("serve", "Piano", "-i", "hci7", "--simulate", "--duration", "1s")
    #expect(result.status == 3)
    #expect(result.errorText.contains("hci7"), "\(result.errorText)")
  }
}
