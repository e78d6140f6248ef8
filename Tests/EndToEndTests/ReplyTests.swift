// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("write --reply")
struct ReplyTests {
  /// A device that answers 01 twice, and 02 once.
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Echo", "services": [{"uuid": "ffe0",
      "characteristics": [
        {"uuid": "ffe2", "properties": ["notify"]},
        {"uuid": "ffe3", "properties": ["write"], "on_write": {"answers": [
          {"request": "01", "response": "a1", "from": "ffe2"},
          {"request": "01", "response": "a2", "from": "ffe2"},
          {"request": "02", "response": "b1", "from": "ffe2"}]}}]}]}]}
    """

  @Test("What was notified before a write is no reply to it")
  func late() async throws {
    try await TemporaryFile.with(Array(Self.world.utf8), named: "world.json") { file in
      let result = try await Blectl().run(
        "write", "Echo", "ffe3", "--from", "-", "--reply", "ffe2", "--simulate=\(file.path)",
        input: Array("01\n02\n01\n02\n".utf8))
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines == ["a1", "b1", "a1", "b1"])
    }
  }

  @Test("A reply that does not fit --as is an error, not a line of output")
  func misfit() async throws {
    try await TemporaryFile.with(Array(Self.world.utf8), named: "world.json") { file in
      let result = try await Blectl().run(
        "write", "Echo", "ffe3", "02", "--reply", "ffe2", "--as", "u16", "--simulate=\(file.path)")
      #expect(result.status == 1)
      #expect(result.text.isEmpty)
      #expect(result.errorText.contains("cannot show ffe2 of C0:00:00:00:00:01 as u16: b1 is 1 byte"))
    }
  }
}
