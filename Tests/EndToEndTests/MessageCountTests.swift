// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// What a command sends over the bus, beside Hello: each message more is a round trip of somebody's.
@Suite("Messages on the bus")
struct MessageCountTests {
  private func sent(_ result: ToolResult) -> [String] {
    result.errorText.split(separator: "\n").compactMap { line in
      guard let arrow = line.firstRange(of: "→ ") else { return nil }
      let words = line[arrow.upperBound...].split(separator: " ")
      guard words.count > 3, words[0] == "call" else { return String(line) }
      return String(words[3].prefix { $0 != "(" }.split(separator: ".").last ?? "")
    }
  }

  /// StartNotify reveals whether BlueZ is closing the link; the first read, of a descriptor, whether it still stands.
  @Test("a read of a device that is connected sends three rules and four calls")
  func read() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", "Heart Strap").status == 0)
      let result = try await blectl.run("read", "Heart Strap", "2a19", "-vv")
      #expect(result.status == 0)
      #expect(
        sent(result) == [
          "AddMatch", "AddMatch", "AddMatch", "GetManagedObjects", "StartNotify", "ReadValue", "ReadValue",
        ],
        "\(result.errorText)")
    }
  }

  @Test("a list of devices asks once")
  func devices() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl(bus: simulated.address).run("devices", "-vv")
      #expect(sent(result) == ["AddMatch", "AddMatch", "AddMatch", "GetManagedObjects"])
    }
  }
}
