// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Pairing by a program")
struct PairingRecordTests {
  private func run(_ pairing: String, _ script: String) async throws -> [String] {
    let result = try await PairingScript.run(PairingScript.world(pairing), script)
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines
  }

  /// Prints what matters of the next record.
  private static let show = #"""
    def show(record): print(*(record.get(key) for key in ("event", "address", "name", "passkey", "method", "bonded")))

    """#

  @Test("A program reads the questions, and writes the answers")
  func passkey() async throws {
    let lines = try await run(
      PairingScript.shows,
      Self.show + """
        tool = Program("pair", "Lamp")
        show(tool.record())
        tool.answer("nonsense")
        tool.answer("042017")
        show(tool.record())
        print(tool.process.wait())
        """)
    #expect(
      lines == [
        "passkey-wanted C0:00:00:00:00:01 Lamp None None None",
        "paired C0:00:00:00:00:01 Lamp None passkey True", "0",
      ])
  }

  @Test("A comparison has the number, with all six digits", arguments: [("yes", "0"), ("no", "1")])
  func comparison(_ answer: String, _ status: String) async throws {
    let lines = try await run(
      PairingScript.compares,
      """
      tool = Program("pair", "Lamp")
      record = tool.record()
      print(record["event"], len(record["passkey"]), record["passkey"].isdigit())
      tool.answer("\(answer)")
      print(tool.process.wait())
      """)
    #expect(lines == ["confirm 6 True", status])
  }

  @Test("The passkey to type into the device is a record that needs no answer")
  func shown() async throws {
    let lines = try await run(
      PairingScript.types,
      """
      tool = Program("pair", "Lamp")
      record = tool.record()
      print(record["event"], len(record["passkey"]))
      record = tool.record()
      print(record["event"], record["method"])
      print(tool.process.wait())
      """)
    #expect(lines == ["passkey-shown 6", "paired passkey", "0"])
  }

  @Test("A question that becomes void is reported")
  func cancelled() async throws {
    let lines = try await run(
      PairingScript.shows,
      """
      tool = Program("pair", "Lamp")
      print(tool.record()["event"])
      control(**{"do": "drop-link", "device": "C0:00:00:00:00:01"})
      print(tool.record()["event"])
      print(tool.process.wait())
      """)
    #expect(lines == ["passkey-wanted", "cancelled", "1"])
  }

  @Test("The passkey is in no log, and in no other process's arguments")
  func secret() async throws {
    let lines = try await run(
      PairingScript.shows,
      """
      tool = subprocess.Popen(
          [TOOL, "pair", "Lamp", "--json", "-vv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, text=True)
      output, errors = tool.communicate("042017\\n")
      print(tool.returncode, "RequestPasskey" in errors, "42017" in errors)
      """)
    #expect(lines == ["0 True False"])
  }
}
