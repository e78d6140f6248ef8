// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("ValueNotification")
struct ValueNotificationTests {
  @Test(
    "a notification is printed as its bytes between angle brackets",
    arguments: [([0x9f, 0x54, 0x36], "<9f5436>"), ([0x00], "<00>"), ([], "<>")] as [([UInt8], String)])
  func description(value: [UInt8], text: String) {
    #expect(ValueNotification(value: value, time: .now).description == text)
  }

  @Test("its time is printed in UTC")
  func time() {
    let time = Timestamp(seconds: 1_493_094_881, nanoseconds: 876_974_000)
    #expect(time.description == "2017-04-25T04:34:41.876974Z")
  }
}
