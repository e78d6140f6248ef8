// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `serial` and `serve --serial` while what they need is away.
@Suite("Serial ports in outages", .timeLimit(.minutes(3)))
struct SerialOutageTests {
  /// A bus with two adapters.
  private func withTwoAdapters(_ body: (SimulatedBus, Blectl) async throws -> Void) async throws {
    var world = World(peripherals: [])
    world.setAdapterCount(2)
    try await withSimulator(world: world) { try await body($0, Blectl(bus: $0.address)) }
  }

  private func serve(_ blectl: Blectl) async throws -> ToolRun {
    let served = try blectl.start(
      ["serve", "--serial", "--open", "--name", "Box", "--psm", "0x85", "-i", "hci1", "--", "cat"], input: nil
    )
    #expect(await served.waitForErrors { $0.contains("serving a serial port") })
    return served
  }

  @Test("A served channel is offered again when bluetoothd was killed and is back, each time")
  func channelAgain() async throws {
    try await withTwoAdapters { simulated, blectl in
      let served = try await serve(blectl)
      for round in 1...2 {
        await simulated.simulator.killDaemon()
        #expect(await served.waitForErrors { ServedLamp.count("is advertised again when", in: $0) == round })
        try await simulated.simulator.startDaemon()
        #expect(
          await served.waitForErrors {
            ServedLamp.count("the serial port is offered again, L2CAP channel 133", in: $0) == round
          })
        let central = try blectl.start(
          ["serial", "Box", "--psm", "0x85", "-i", "hci0", "--linger", "0"], input: nil)
        central.add(input: Array("hello\n".utf8))
        #expect(await central.waitForBytes(7))
        central.send(signal: SIGINT)
        _ = await central.result()
      }
      served.send(signal: SIGINT)
      #expect(await served.result().signal == SIGINT)
    }
  }

  @Test("A served channel ends with the bus: its command says so, with status 3")
  func channelWithoutBus() async throws {
    try await withTwoAdapters { simulated, blectl in
      let served = try await serve(blectl)
      try await simulated.simulator.killBus()
      let result = await served.result()
      #expect(result.status == 3)
      #expect(result.errorText.contains("the connection to the bus is lost"), "\(result.errorText)")
    }
  }

  @Test("A device that has lost its port is named once while it is waited for, and its return is said")
  func lostPort() async throws {
    try await withTwoAdapters { simulated, blectl in
      let manager = try await PeripheralManager(bus: .address(simulated.address), adapter: "hci1")
      func uuid(_ number: Int) throws -> BluetoothUUID {
        try #require(BluetoothUUID("6e40000\(number)-b5a3-f393-e0a9-e50e24dcca9e"))
      }
      func port() throws -> LocalService {
        LocalService(
          try uuid(1),
          [
            LocalCharacteristic(try uuid(2), .writeWithoutResponse),
            LocalCharacteristic(try uuid(3), .notify),
          ])
      }
      let service = try await manager.add(try port())
      try await manager.startAdvertising(Advertisement(name: "Box"))
      let running = try blectl.start(
        ["serial", "Box", "--tcp", "0", "-i", "hci0", "--reconnect-delay", "100ms"], input: nil)
      #expect(await running.waitForErrors { $0.contains("connected") })
      try await manager.remove(service)
      #expect(await running.waitForErrors { $0.contains("it has no service that is known as one") })
      #expect(await running.waitForErrors { $0.contains("waiting for") })
      _ = try await manager.add(try port())
      #expect(await running.waitForErrors { $0.contains("reconnected after") })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(ServedLamp.count("waiting for", in: result.errorText) == 1, "\(result.errorText)")
      await manager.close()
    }
  }

  @Test("The silence of a bluetoothd that hangs is not the end of a file, nor of the answers in a pipe")
  func silence() async throws {
    let json = """
      {"peripherals": [{"address": "C0:00:00:00:00:02", "name": "Board", "uart": true, "services": [
        {"uuid": "fff0", "characteristics": [
          {"uuid": "fff1", "properties": ["read"], "value": "00"},
          {"uuid": "fff2", "properties": ["notify"],
           "notifies": {"counter": {"format": "u8"}, "every": "100ms"}}]}]}]}
      """
    let world = try World(json: Array(json.utf8), name: "w") { _ throws(WorldFileError) in [] }
    try await withSimulator(world: world) { simulated in
      let blectl = Blectl(bus: simulated.address)
      for words in [
        ["receive", "Board", "fff2", "--to", "-", "--until-silence", "500ms"],
        ["serial", "Board", "--linger", "500ms"],
      ] {
        let isFile = words[0] == "receive"
        let running = try blectl.start(words + ["--timeout", "2s"], input: nil)
        if !isFile { running.add(input: [7]) }
        #expect(await running.waitForBytes(1))
        await simulated.simulator.freeze()
        running.send(input: [])
        let result = await running.result()
        #expect(result.status == 3, "\(result.errorText)")
        #expect(result.errorText.contains("(bluetoothd) does not answer"), "\(result.errorText)")
        await simulated.simulator.thaw()
      }
    }
  }

  @Test("A log that cannot be written is said at once, and ends serial with status 1")
  func fullLog() async throws {
    try await ToolFolder.with { folder in
      let world = #"{"peripherals": [{"address": "C0:00:00:00:00:02", "name": "Board", "uart": true}]}"#
      try folder.write(world, to: "world.json")
      // As a full disk: no file grows beyond a block.
      let result = try await Blectl.runScript(
        """
        cd \(folder.path); trap '' XFSZ; ulimit -f 1
        head -c 4000 /dev/zero | $BLECTL serial Board --hex --log log --simulate=world.json >/dev/null
        echo "status $?"
        """)
      #expect(result.lines.last == "status 1", "\(result.errorText)")
      #expect(
        result.errorText.contains("cannot write log: File too large; nothing more is logged"),
        "\(result.errorText)")
    }
  }
}
