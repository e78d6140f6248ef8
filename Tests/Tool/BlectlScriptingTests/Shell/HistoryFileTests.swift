// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlScripting

@Suite("The history of the shell")
struct HistoryFileTests {
  @Test(
    "The history is in the state directory",
    arguments: [
      (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/blectl/history"),
      (["HOME": "/h"], "/h/.local/state/blectl/history"),
      (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/blectl/history"), ([:], nil),
    ] as [([String: String], String?)])
  func history(_ environment: [String: String], _ path: String?) {
    #expect(HistoryFile { environment[$0] }.path == path)
  }
}
