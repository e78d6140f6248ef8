// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Read --offset")
struct ReadOffsetTests {
  /// A device with packets of 22 bytes: a name of a standard meaning, with a description.
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Long", "mtu": 23, "services": [
      {"uuid": "180a", "characteristics": [
        {"uuid": "2a29", "properties": ["read"], "value": "\(hex("A manufacturer with a long name"))",
         "descriptors": [{"uuid": "2901", "value": "\(hex("who has made the device, in full"))"}]},
        {"uuid": "2a24", "properties": ["read"], "value": "\(hex("HS-1"))"}]}]}]}
    """

  private static func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func withWorld(_ body: (ToolFolder) async throws -> Void) async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.world, to: "long.json")
      try await body(folder)
    }
  }

  @Test("The rest of a value is printed, in hexadecimal digits or as --as says")
  func text() async throws {
    try await withWorld { folder in
      for (options, text) in [
        ("2a29 --offset 0", Self.hex("A manufacturer with a long name")),
        ("2a29 --offset 17", Self.hex("with a long name").dropFirst(4).description),
        ("2a29 --offset 17 --as utf8", "th a long name"),
        ("2a29 --offset 31", ""), ("2a29 --offset 31 --as utf8", ""),
        ("2a29 --offset 29 --as u16be", "28005"), ("2a29 --offset 29 --as 'a=u8 b=u8'", "a 109, b 101\t6d65"),
        ("2a29 --offset 29 --as auto", "\t6d65"),
        ("2a29 --descriptor 2901 --offset 28 --as utf8", "full"),
      ] {
        let result = try await folder.run("blectl read Long \(options) --simulate=long.json")
        #expect(result.text == text + "\n" && result.status == 0, "\(options): \(result.errorText)")
      }
    }
  }

  @Test("A record has the offset, unless it is 0, and no meaning without --as")
  func json() async throws {
    try await withWorld { folder in
      func record(_ options: String) async throws -> JSONRecord? {
        try await folder.run("blectl read Long \(options) --json --simulate=long.json").records.first
      }
      let whole = try #require(try await record("2a29 --offset 0"))
      #expect(whole["offset"] == nil && whole["decoded"] != nil)
      let rest = try #require(try await record("2a29 --offset 27"))
      #expect(rest["offset"]?.number == 27 && rest["decoded"] == nil)
      #expect(rest["value"]?.text == Self.hex("name"))
      let shown = try #require(try await record("2a29 --descriptor 2901 --offset 28 --as utf8"))
      #expect(shown["offset"]?.number == 28 && shown["formatted"]?.text == "full")
      let refused = try #require(try await record("2a29 --offset 32"))
      #expect(refused["event"]?.text == "error" && refused["att_error"]?.number == 7)
      #expect(refused["offset"]?.number == 32)
    }
  }

  @Test("A script that reads a part agrees with its own record, and one that reads all does not")
  func script() async throws {
    try await withWorld { folder in
      try folder.write("let X read 2a29 --offset 27\nread 2a24\n", to: "part.ble")
      try folder.write("read 2a29\n", to: "all.ble")
      let made = try await folder.run("blectl run Long part.ble --record a.ndjson --simulate=long.json")
      #expect(made.status == 0, "\(made.errorText)")
      #expect(try await folder.run("blectl run Long part.ble --check-only a.ndjson").status == 0)
      #expect(try await folder.run("blectl run Long all.ble --check-only a.ndjson").status == 1)
    }
  }
}
