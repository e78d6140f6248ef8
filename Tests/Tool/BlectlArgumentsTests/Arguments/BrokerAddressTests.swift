// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlArguments
@testable import ValueLogs

@Suite("URLs of brokers")
struct BrokerAddressTests {
  @Test(
    "Host, port, user and topic are those of the URL",
    arguments: [
      ("mqtt://attic/ble", BrokerAddress(host: "attic", port: 1883, isEncrypted: false, topic: "ble")),
      ("mqtts://attic/ble", BrokerAddress(host: "attic", port: 8883, isEncrypted: true, topic: "ble")),
      ("MQTT://attic/ble", BrokerAddress(host: "attic", isEncrypted: false, topic: "ble")),
      (
        "mqtt://anna@attic.example:2883/home/attic/ble/",
        BrokerAddress(
          host: "attic.example", port: 2883, user: "anna", isEncrypted: false, topic: "home/attic/ble")
      ),
      ("mqtt://[fd00::1]/b", BrokerAddress(host: "fd00::1", isEncrypted: false, topic: "b")),
      ("mqtt://[::1]:99/b", BrokerAddress(host: "::1", port: 99, isEncrypted: false, topic: "b")),
      (
        "mqtt://anna%40example.org@h/top%20floor/%C3%A9",
        BrokerAddress(host: "h", user: "anna@example.org", isEncrypted: false, topic: "top floor/é")
      ),
      ("mqtt://a@b@h/t", BrokerAddress(host: "h", user: "a@b", isEncrypted: false, topic: "t")),
    ])
  func parsing(_ text: String, _ address: BrokerAddress) throws {
    #expect(try BrokerAddress(parsing: text) == address)
    #expect(try LogArgument(parsing: text).kind == .broker(address))
    #expect(try LogArgument(parsing: text).path == text)
  }

  @Test("A file is not a broker", arguments: ["mqtt.csv", "mqtt:/a.csv", "a/mqtt://b/c.csv", ""])
  func files(_ text: String) throws {
    #expect(try BrokerAddress(parsing: text) == nil)
  }

  @Test(
    "A URL that names no place to publish to is refused, with the reason",
    arguments: [
      ("mqtt://attic", "names no topic"), ("mqtt://attic/", "names no topic"),
      ("mqtt:///ble", "names no host"), ("mqtt://", "names no host"), ("mqtt://anna@/ble", "names no host"),
      ("mqtt://@attic/ble", "has no user before '@'"), ("mqtt://attic:0/ble", "has no port '0'"),
      ("mqtt://attic:99999/ble", "has no port '99999'"), ("mqtt://attic:/ble", "has no port ''"),
      ("mqtt://attic:mqtt/ble", "has no port 'mqtt'"), ("mqtt://[::1/ble", "has no port ':1'"),
      ("mqtt://[::1]x/ble", "is not the URL of a broker"),
      ("mqtt://at tic/ble", "has a host with characters"),
      ("mqtt://attic/ble/#", "has a wildcard"), ("mqtt://attic/+/ble", "has a wildcard"),
      ("mqtt://attic/%2b", "has a wildcard"), ("mqtt://attic/$SYS/x", "is reserved for brokers"),
      ("mqtt://attic/a%0Ab", "has a control character"), ("mqtt://attic/a%00b", "has a control character"),
      ("mqtt://attic/a%2", "without two hexadecimal digits"), ("mqtt://attic/a%+1", "without two"),
      ("mqtt://attic/%ff", "are no UTF-8"),
    ])
  func refused(_ text: String, _ reason: String) {
    let error = #expect(throws: ArgumentError.self) { try BrokerAddress(parsing: text) }
    #expect(error?.description.contains(reason) == true)
    #expect(error?.description.hasPrefix("'\(text)'") == true)
  }

  @Test("A topic that leaves no room for what follows is refused")
  func longTopic() throws {
    let fits = String(repeating: "a", count: 65_000)
    #expect(try BrokerAddress(parsing: "mqtt://attic/\(fits)")?.topic == fits)
    #expect(throws: ArgumentError.self) { try BrokerAddress(parsing: "mqtt://attic/\(fits)a") }
  }

  @Test(
    "A password in the URL is refused, and not repeated", arguments: ["anna:secret", ":secret", "a:secret@x"])
  func password(_ login: String) {
    let error = #expect(throws: ArgumentError.self) {
      try BrokerAddress(parsing: "mqtt://\(login)@attic/ble")
    }
    #expect(error?.description.contains("secret") == false)
    #expect(error?.description.contains("'mqtt://…@attic/ble' has a password") == true)
    #expect(error?.description.contains("BLECTL_MQTT_PASSWORD_FILE") == true)
  }
}
