// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import Glibc
import PeripheralEmulator
import TestSupport
import Testing

/// Commands over the socket.
@Suite("Control server")
struct ControlServerTests {
  private func withServer(_ test: (String, Simulator) async throws -> Void) async throws {
    var template = Array("/tmp/blectl-control-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    defer { rmdir(folder) }
    try await withSimulator { bus in
      let path = folder + "/socket"
      let server = try await ControlServer.listen(at: path, for: bus.simulator)
      try await test(path, bus.simulator)
      await server.stop()
      #expect(access(path, F_OK) != 0)
    }
  }

  /// Sends a text and reads the answers to the end.
  private func ask(_ path: String, _ text: String) async throws -> [String] {
    let client = try ToolRun(
      "/usr/bin/python3",
      [
        "-c",
        """
        import socket, sys
        client = socket.socket(socket.AF_UNIX)
        client.connect(sys.argv[1])
        client.sendall(sys.stdin.buffer.read())
        client.shutdown(socket.SHUT_WR)
        sys.stdout.write(client.makefile().read())
        """, path,
      ], input: Array(text.utf8))
    let result = await client.result()
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines
  }

  @Test("Each command is answered with a line, in order")
  func eachCommandAnswered() async throws {
    try await withServer { path, simulator in
      let lines = try await ask(
        path,
        """
        {"do":"adapter-off"}

        {"do":"adapter-of"}
        {"do":"drop-link","device":"F0:F1:F2:F3:F4:F5"}\r
        {"do":"kill-daemon"}
        """)
      #expect(
        lines == [
          #"{"ok":true}"#,
          #"{"ok":false,"error":"/do: expected the name of a command, found \"adapter-of\": "#
            + #"did you mean \"adapter-off\"?","pointer":"/do"}"#,
          #"{"ok":true}"#, #"{"ok":true}"#,
        ])
      #expect(await simulator.state.daemon == .stopped)
    }
  }

  @Test("The state lists adapters and peripherals")
  func stateListsAdapters() async throws {
    try await withServer { path, simulator in
      let client = try await BusClient.connect(to: simulator.address)
      try await client.open(Address.strap)
      try await client.gatt("StartNotify", try await client.characteristic("2a37", of: Address.strap))
      try await simulator.perform(.peripheral(Address.piano, .vanish))
      let lines = try await ask(path, #"{"do":"state"}"#)
      let text = try #require(lines.first)
      #expect(
        text.hasPrefix(
          #"{"ok":true,"daemon":"running","adapters":[{"name":"hci0","address":"00:1A:7D:DA:71:13","#
            + #""powered":true,"blocked":false,"discovering":false}],"peripherals":[{"#))
      #expect(
        text.contains(
          #"{"address":"D0:B5:C2:0A:0B:0C","name":"Piano","present":false,"connected":false,"subscribed":[],"bonds":0}"#
        ))
      #expect(text.contains(#""present":true,"connected":true,"subscribed":["00002a37-"#))
    }
  }

  @Test(
    "An invalid command is answered with the reason and its place",
    arguments: [
      ("nonsense", #"column 1: expected a value, found \"n\""#, ""),
      ("[]", #"expected a command, an object such as {\"do\":\"drop-link\", …}, found an array"#, ""),
      ("{}", #"expected the key \"do\", which is missing"#, ""),
      (#"{"do":1}"#, "/do: expected the name of a command, found 1", "/do"),
      (
        #"{"do":"drop-link"}"#, #"expected the key \"device\", which is missing"#, ""
      ),
      (
        #"{"do":"drop-link","device":"here"}"#,
        #"/device: expected an address such as \"C8:0F:10:01:02:03\", found \"here\""#, "/device"
      ),
      (
        #"{"do":"adapter-off","fir":"2s"}"#,
        #"/fir: expected a key of command adapter-off, found \"fir\": did you mean \"for\"?"#,
        "/fir"
      ),
      (
        #"{"do":"adapter-off","for":"0s"}"#,
        #"/for: expected a duration of at least \"1ms\", such as \"500ms\", \"10s\", \"2m\" or \"1h\", found \"0s\""#,
        "/for"
      ),
      (
        #"{"do":"fail-call","method":"Connect","error":"org..X"}"#,
        #"/error: expected the name of an error such as \"InProgress\" or \"org.bluez.Error.Failed\", found \"org..X\""#,
        "/error"
      ),
      (
        #"{"do":"adapter-off","adapter":"hci7"}"#,
        #"/adapter: there is no adapter hci7: did you mean hci0?"#, "/adapter"
      ),
    ])
  func invalidCommandAnswered(
    _ line: String, _ error: String, _ pointer: String
  ) async throws {
    try await withServer { path, _ in
      let answers = try await ask(path, line)
      #expect(
        answers == [#"{"ok":false,"error":"\#(error)","pointer":"\#(pointer)"}"#])
    }
  }

  @Test("A line without an end is refused and ends the connection")
  func lineWithoutEnd() async throws {
    try await withServer { path, _ in
      let lines = try await ask(path, #"{"do":""# + String(repeating: "x", count: 200_000))
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix(#"{"ok":false,"error":""#) == true)
    }
  }

  @Test("The socket is accessible to us only and replaces no file")
  func socketAccessibleUs() async throws {
    try await withServer { path, simulator in
      var found = stat()
      #expect(lstat(path, &found) == 0)
      #expect(found.st_mode & 0o7777 == 0o600)
      await #expect(throws: ControlSocketError.self) {
        _ = try await ControlServer.listen(at: path, for: simulator)
      }
      #expect(access(path, F_OK) == 0)
    }
  }

  @Test(
    "A socket that cannot be created is an error",
    arguments: ["", "/nowhere/socket", String(repeating: "x", count: 108)])
  func socketCannotCreated(_ path: String) async throws {
    try await withSimulator { bus in
      await #expect(throws: ControlSocketError.self) {
        _ = try await ControlServer.listen(at: path, for: bus.simulator)
      }
    }
  }
}
