// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `serial` and `serve --serial`, as their users start them.
@Suite("Serial ports of the tool", .timeLimit(.minutes(3)))
struct SerialPortTests {
  @Test("Of two serial services of one kind none is chosen; the error names both by their handles")
  func twins() async throws {
    let service = """
      {"uuid": "6e400001-b5a3-f393-e0a9-e50e24dcca9e", "characteristics": [
        {"uuid": "6e400002-b5a3-f393-e0a9-e50e24dcca9e", "properties": ["write", "write-without-response"]},
        {"uuid": "6e400003-b5a3-f393-e0a9-e50e24dcca9e", "properties": ["notify"]}]}
      """
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Twins", "services": [\(service), \(service)]}]}
      """
    try await ToolFolder.with { folder in
      let file = folder.path + "/world.json"
      try RecordedFile.write(world, file)
      let result = try await Blectl().run("serial", "Twins", "--simulate=\(file)")
      #expect(result.status == 4)
      #expect(result.errorText.contains("cannot choose the serial port: Twins has 2"))
      let lines = result.errorText.split(separator: "\n").filter { $0.contains("--rx @") }
      #expect(lines.count == 2 && lines.first != lines.last, "\(result.errorText)")
      // What the error offers can be used.
      let words = try #require(lines.last).split(separator: " ").drop { $0 != "--rx" }.map(String.init)
      let used = try await Blectl().start(
        ["serial", "Twins", "--simulate=\(file)", "--linger", "1ms"] + words
      ).result()
      #expect(used.status == 0, "\(used.errorText)")
    }
  }

  @Test("A command that cannot be run is an error before anything is published")
  func missingCommand() async throws {
    let result = try await Blectl().run("serve", "--serial", "--open", "--simulate", "--", "no-such-command")
    #expect(result.status == 1)
    #expect(result.errorText == "blectl: cannot run no-such-command: No such file or directory\n")
  }

  @Test("A name that is too long is a usage error, and options that reconnecting implies are none")
  func options() async throws {
    let name = String(repeating: "x", count: 30)
    let named = try await Blectl().run("serve", "--serial", "--name", name, "--simulate", "--", "true")
    #expect(named.status == 64)
    let limited = try await Blectl().run(
      "serial", "Nobody", "--pty", "--reconnect-limit", "1s", "--timeout", "1s", "--simulate")
    #expect(limited.status == 4, "\(limited.errorText)")
  }

  @Test("A served command is started again for its central, which gets all that each run writes")
  func again() async throws {
    var world = World(peripherals: [])
    world.setAdapterCount(2)
    try await withSimulator(world: world) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let served = try blectl.start(
        ["serve", "--serial", "--open", "-v", "--name", "Box", "-i", "hci1", "--", "seq", "2000"], input: nil)
      #expect(await served.waitForErrors { $0.contains("serving a serial port") })
      let text = (1...2000).map { "\($0)\r\n" }.joined()
      let output = Array((text + text).utf8)
      let central = try blectl.start(["serial", "Box", "-i", "hci0", "--linger", "0"])
      #expect(await central.waitForBytes(output.count))
      central.send(signal: SIGINT)
      let result = await central.result()
      #expect(result.output.prefix(output.count) == output[...])
      served.send(signal: SIGINT)
      let end = await served.result()
      #expect(!end.errorText.contains("lost"), "\(end.errorText)")
    }
  }

  @Test("Every device that matches gets a port of its own, with a name of its own")
  func all() async throws {
    try await ToolFolder.with { folder in
      let boards = (1...2).map {
        "{\"address\": \"C0:00:00:00:00:0\($0)\", \"name\": \"Board \($0)\", \"uart\": {\"greeting\": \"I am \($0)\"}}"
      }
      try folder.write("{\"peripherals\": [\(boards.joined(separator: ","))]}", to: "world.json")
      let place = folder.path + "/port"
      let running = try Blectl().start(
        [
          "serial", "Board*", "--all", "--unix", place, "--log", place + ".log",
          "--simulate=\(folder.path)/world.json",
        ], input: nil)
      #expect(await running.waitForLines(2))
      for number in 1...2 {
        let read = try await ToolRun(
          "/usr/bin/env", ["python3", "-c", Self.reading, "\(place)-C0:00:00:00:00:0\(number)"]
        ).result()
        #expect(read.lines == ["I am \(number)"], "\(read.errorText)")
      }
      running.send(signal: SIGINT)
      let result = await running.result()
      let ports = (1...2).map { "C0:00:00:00:00:0\($0)  Board \($0)  \(place)-C0:00:00:00:00:0\($0)" }
      #expect(result.lines.sorted() == ports)
      #expect(
        result.errorText.contains("C0:00:00:00:00:02: handed over 0 bytes, received 6 bytes")
          || result.errorText.contains("C0:00:00:00:00:02: sent 0 bytes, received 6 bytes"),
        "\(result.errorText)")
    }
  }

  private static let reading = """
    import socket, sys
    port = socket.socket(socket.AF_UNIX)
    port.connect(sys.argv[1])
    text = b""
    while len(text) < 6: text += port.recv(6)
    print(text.decode())
    """

  @Test(
    "What --all cannot do is a usage error",
    arguments: [
      ("serial B --all", "--all needs --pty, --tcp 0 or --unix\n"),
      ("serial B --all --tcp 7777", "--all needs --tcp 0: each device has a port of its own\n"),
      ("serial B --all --pty --pick first", "--pick and --all cannot be used together\n"),
    ])
  func allOptions(_ line: String, _ message: String) async throws {
    let result = try await Blectl().start(line.split(separator: " ").map(String.init)).result()
    #expect(result.status == 64)
    #expect(result.errorText.contains(message), "\(result.errorText)")
  }
}
