// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BlueZClient

@Suite("LinkEndReason")
struct LinkEndReasonTests {
  @Test(
    "Each name of BlueZ is a reason, and a name of the future is unknown",
    arguments: [
      ("Timeout", LinkEndReason.timeout), ("Local", .local), ("Remote", .remote),
      ("Authentication", .authentication), ("Suspend", .suspend), ("Unknown", .unknown), ("Sunset", .unknown),
    ])
  func names(_ name: String, _ reason: LinkEndReason) {
    #expect(LinkEndReason(blueZName: "org.bluez.Reason." + name) == reason)
  }

  @Test("What BlueZ does not know is not explained")
  func explanations() {
    let unexplained = LinkEndReason.allCases.filter { $0.explanation == nil }
    #expect(unexplained == [.unknown, .unreported])
  }
}
