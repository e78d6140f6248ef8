// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Pairing on demand")
struct PairingOnDemandTests {
  private func run(_ pairing: String, _ script: String) async throws -> ToolResult {
    try await PairingScript.run(PairingScript.world(pairing), script)
  }

  @Test(
    "With --pair, a value that needs encryption is read, written to the output, and subscribed to",
    arguments: [
      (#""read", "Lamp", "2a19""#, "57"), (#""services", "Lamp", "--read""#, "57"),
      (#""subscribe", "Lamp", "2a19", "--duration", "200ms""#, ""),
    ])
  func onDemand(_ arguments: String, _ value: String) async throws {
    let result = try await run(
      "",
      """
      print(blectl(\(arguments), "--pair", "--json"))
      print("Lamp" in blectl("devices", "--paired"))
      """)
    #expect(result.text.contains(value))
    #expect(result.lines.last == "True", "\(result.errorText)")
  }

  @Test("Without a terminal, it pairs only where nobody is needed")
  func nobody() async throws {
    let required = #""capability": "display-only", "mitm": "required""#
    let result = try await run(
      required,
      """
      done = subprocess.run(
          [TOOL, "read", "Lamp", "2a19", "--pair", "--timeout", "3s"], stdin=subprocess.DEVNULL, capture_output=True)
      print(done.returncode)
      print(repr(blectl("devices", "--paired")))
      """)
    #expect(result.lines.first != "0")
    #expect(result.lines.last == "''")
  }

  /// Subscribes over a bond, which the device then loses.
  private static let losing = """
    blectl("pair", "Lamp")
    tool = Program("subscribe", "Lamp", "2a19", "--reconnect", *OPTIONS)
    while tool.record()["event"] != "connected": pass
    control(do="forget-bonds", device="C0:00:00:00:00:01")
    control(do="drop-link", device="C0:00:00:00:00:01")

    """

  @Test("With --reconnect --pair, a bond that the device has lost is replaced")
  func replaced() async throws {
    let result = try await run(
      "",
      """
      OPTIONS = ["--pair"]
      \(Self.losing)
      while tool.record()["event"] != "reconnected": pass
      print(json.loads(blectl("info", "Lamp", "--json"))["bonded"])
      tool.process.send_signal(signal.SIGINT)
      print(tool.process.wait())
      """)
    #expect(result.lines == ["True", "-2"], "\(result.errorText)")
    #expect(result.errorText.contains("has lost the keys of the pairing: pairing again"))
  }

  @Test("Without --pair, --reconnect ends there")
  func kept() async throws {
    let result = try await run(
      "",
      """
      OPTIONS = []
      \(Self.losing)
      print(tool.process.wait())
      print("Lamp" in blectl("devices", "--paired"))
      """)
    #expect(result.lines == ["1", "True"], "\(result.errorText)")
    #expect(result.errorText.contains("hint: blectl unpair C0:00:00:00:00:01, then blectl pair"))
  }
}
