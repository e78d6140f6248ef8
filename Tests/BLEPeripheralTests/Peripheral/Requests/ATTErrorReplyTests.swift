// SPDX-License-Identifier: MIT
internal import BLECore
internal import DBus
internal import Testing

@testable internal import BLEPeripheral

@Suite("ATT errors as BlueZ takes them")
struct ATTErrorReplyTests {
  private func reply(_ code: UInt8, isRead: Bool) -> Message {
    let call = Message(call: "ReadValue", of: BlueZ.gattCharacteristic, at: "/a", to: "org.example")
    return ATTError(code: code).reply(to: call, isRead: isRead)
  }

  @Test(
    "a code that has a name gets it",
    arguments: [
      (UInt8(0x02), true, "NotPermitted"), (0x03, false, "NotPermitted"), (0x06, true, "NotSupported"),
      (0x07, true, "InvalidOffset"), (0x08, false, "NotAuthorized"), (0x0d, false, "InvalidValueLength"),
      (0xfd, false, "ImproperlyConfigured"), (0xfe, true, "InProgress"),
    ])
  func named(_ code: UInt8, _ isRead: Bool, _ name: String) {
    #expect(reply(code, isRead: isRead).errorName == "org.bluez.Error." + name)
  }

  @Test("all others are numbers, which count from 0x80 to 0x9f", arguments: [UInt8(0x80), 0x9f, 0x02, 0x11])
  func numbered(_ code: UInt8) {
    let reply = reply(code, isRead: false)
    #expect(reply.errorName == "org.bluez.Error.Failed")
    #expect(reply.values == [.string("0x" + Hex.string([code]))])
  }
}
