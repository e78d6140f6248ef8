// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

/// `--log mqtt://…` where there is no broker, or the same one twice.
@Suite("Logs at brokers")
struct BrokerLogTests {
  private static let beats = ["subscribe", Address.strap, "2a37", "--count", "1"]
  private static let hasLibrary = dlopen("libmosquitto.so.1", RTLD_LAZY) != nil

  @Test("A program that is no broker, and hangs up, is not a success", .enabled(if: hasLibrary))
  func noBroker() async throws {
    let script = """
      import socket
      listener = socket.socket()
      listener.bind(('127.0.0.1', 0))
      listener.listen()
      print(listener.getsockname()[1], flush=True)
      client, _ = listener.accept()
      client.recv(100)
      client.sendall(b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n')
      """
    let server = try ToolRun("/usr/bin/env", ["python3", "-c", script])
    #expect(await server.waitForLines(1))
    let port = String(decoding: await server.outputSoFar(), as: UTF8.self).replacing("\n", with: "")
    let result = try await Blectl().start(
      Self.beats + ["--log", "mqtt://127.0.0.1:\(port)/x", "--simulate"]
    ).result()
    #expect(result.status == 1)
    #expect(
      result.errorText.hasPrefix(
        "blectl: cannot write mqtt://127.0.0.1:\(port)/x: the broker closed the connection\n"),
      "\(result.errorText)")
    server.send(signal: SIGTERM)
  }

  @Test(
    "A topic of a broker that is given twice is a usage error",
    arguments: [Self.beats, ["read", Address.strap, "2a38"]])
  func twice(command: [String]) async throws {
    let logs = ["mqtt://127.0.0.1:1883/home/x/", "a.ndjson", "mqtt://pi@127.0.0.1/home/x"]
    let result = try await Blectl().start(command + logs.flatMap { ["--log", $0] }).result()
    #expect(result.status == 64)
    #expect(
      result.errorText.contains(
        "--log mqtt://pi@127.0.0.1/home/x is given twice: the broker and the topic are the same"),
      "\(result.errorText)")
  }
}
