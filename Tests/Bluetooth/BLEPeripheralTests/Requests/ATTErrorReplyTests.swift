// SPDX-License-Identifier: MIT
internal import BlueZClient
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
    "A code that has a name gets it",
    arguments: [
      (UInt8(0x02), true, "NotPermitted"), (0x03, false, "NotPermitted"), (0x06, true, "NotSupported"),
      (0x07, true, "InvalidOffset"), (0x08, false, "NotAuthorized"), (0x0d, false, "InvalidValueLength"),
      (0xfd, false, "ImproperlyConfigured"), (0xfe, true, "InProgress"),
    ])
  func named(_ code: UInt8, _ isRead: Bool, _ name: String) {
    #expect(reply(code, isRead: isRead).errorName == "org.bluez.Error." + name)
  }

  @Test(
    "A code without a name is sent as a number, which counts from 0x80 to 0x9f",
    arguments: [UInt8(0x80), 0x9f, 0x02, 0x11])
  func numbered(_ code: UInt8) {
    let reply = reply(code, isRead: false)
    #expect(reply.errorName == "org.bluez.Error.Failed")
    #expect(reply.values == [.string("0x" + Hex.string([code]))])
  }

  @Test(
    "A code reaches centrals as the documentation says",
    arguments: [
      (UInt8(0x02), true), (0x03, false), (0x05, false), (0x80, true), (0xa0, false), (0xfe, true),
    ])
  func carried(_ code: UInt8, _ isCarried: Bool) {
    #expect(ATTError(code: code).isCarried(ofRead: true, by: nil) == isCarried)
  }

  @Test("The code 0xfd reaches centrals from 5.76 on")
  func improperlyConfigured() {
    let error = ATTError(code: 0xfd)
    #expect(error.isCarried(ofRead: true, by: BlueZVersion(major: 5, minor: 76)))
    #expect(!error.isCarried(ofRead: true, by: BlueZVersion(major: 5, minor: 75)))
    #expect(!error.isCarried(ofRead: true, by: nil))
  }
}
