// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("DeviceState")
struct DeviceStateTests {
  @Test(
    "the name is the device's own, else an alias that somebody chose; the address with dashes is none",
    arguments: [
      ("Heart Strap", "My strap", "Heart Strap"), ("Heart Strap", nil, "Heart Strap"),
      (nil, "My strap", "My strap"),
      (nil, "F0-F1-F2-F3-F4-F5", nil), (nil, "F0:F1:F2:F3:F4:F5", nil), (nil, nil, nil),
      ("F0-F1-F2-F3-F4-F5", "F0-F1-F2-F3-F4-F5", "F0-F1-F2-F3-F4-F5"),
      (nil, "F0-F1-F2-F3-F4", "F0-F1-F2-F3-F4"),
    ] as [(String?, String?, String?)])
  func displayName(name: String?, alias: String?, shown: String?) {
    var record = DeviceState(path: "/device")
    record.name = name
    record.alias = alias
    #expect(record.displayName == shown)
  }
}
