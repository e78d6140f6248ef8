// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("The command of serve")
struct ServeChildTests {
  @Test(
    "Standard output is that of the command, and the records are on standard error", arguments: [true, false])
  func outputs(isJSON: Bool) async throws {
    let options = isJSON ? ["--json"] : []
    let result = try await Blectl().start(
      ["serve", "Heart Strap", "--simulate"] + options + ["--", Blectl.path, "read", "Heart Strap", "2a38"]
    ).result()
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines == ["01"])
    #expect(result.errorText.contains("advertising"))
  }

  @Test("With -q, the records are not on standard error either")
  func quiet() async throws {
    let result = try await Blectl().start(
      ["serve", "Heart Strap", "--simulate", "-q", "--", Blectl.path, "read", "Heart Strap", "2a38"]
    ).result()
    #expect(result.lines == ["01"] && result.errorText.isEmpty, "\(result.errorText)")
  }
}
