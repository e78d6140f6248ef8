// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import BLECentral

@Suite("Questions of BlueZ")
struct AgentQuestionTests {
  private func parse(_ method: String, _ values: DBusValue...) -> AgentQuestion.Kind? {
    let call = Message(call: method, of: "org.bluez.Agent1", at: "/agent", to: ":1.1") { writer in
      for value in values { writer.value(value) }
    }
    return AgentQuestion.Kind.parse(method, call)?.kind
  }

  private static let device = DBusValue.objectPath("/org/bluez/hci0/dev_1")

  @Test("Each method is a question")
  func methods() {
    #expect(parse("RequestPasskey", Self.device) == .passkey)
    #expect(parse("RequestPinCode", Self.device) == .pinCode)
    #expect(parse("RequestAuthorization", Self.device) == .authorize)
    #expect(parse("RequestConfirmation", Self.device, .uint32(5)) == Passkey("5").map { .confirm($0) })
    #expect(
      parse("DisplayPasskey", Self.device, .uint32(5), .uint16(2))
        == Passkey("5").map { .display($0, entered: 2) })
    #expect(parse("DisplayPinCode", Self.device, .string("0000")) == .displayPinCode("0000"))
    #expect(
      parse("AuthorizeService", Self.device, .string("0000180f-0000-1000-8000-00805f9b34fb"))
        == .authorizeService(.batteryService))
  }

  @Test("Other arguments, numbers of seven digits and other methods are none")
  func others() {
    #expect(parse("RequestPasskey") == nil)
    #expect(parse("RequestPasskey", .string("x")) == nil)
    #expect(parse("RequestConfirmation", Self.device, .uint32(1_000_000)) == nil)
    #expect(parse("RequestConfirmation", Self.device, .uint16(1)) == nil)
    #expect(parse("AuthorizeService", Self.device, .string("nonsense")) == nil)
    #expect(parse("Frobnicate", Self.device) == nil)
  }
}
