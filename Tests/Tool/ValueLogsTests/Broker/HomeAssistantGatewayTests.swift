// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

@Suite("Gateways in Home Assistant")
struct HomeAssistantGatewayTests {
  private static let device = HomeAssistantDevice(address: SampleStream.address, name: "Strap")

  /// The announcements of what a gateway hears, as topics and texts.
  private static func announced(under topic: String) -> [(topic: String, text: String)] {
    var assistant = HomeAssistant()
    let format = BrokerRecords(topic: topic)
    let events: [StreamEvent] = [
      SampleStream.values([[0, 60]]), SampleStream.bthome("4002ca09"),
      SampleStream.alarm(.alarm), SampleStream.absence(.absent),
    ]
    return events.flatMap { assistant.sensors(in: $0, format) }
      .map { (topic: $0.topic, text: String(decoding: $0.payload, as: UTF8.self)) }
  }

  @Test("Two gateways that hear a device announce sensors of their own, of the same device")
  func two() throws {
    let (attic, cellar) = (Self.announced(under: "ble/attic"), Self.announced(under: "ble/cellar"))
    #expect(attic.count == 5 && cellar.count == 5)
    #expect(Set(attic.map(\.topic)).isDisjoint(with: cellar.map(\.topic)))
    for (messages, name) in [(attic, "attic"), (cellar, "cellar")] {
      for (topic, text) in messages {
        #expect(topic.contains("/blectl_\(name)_f0f1f2f3f4f5_"), "\(topic)")
        #expect(text.contains(#""unique_id":"blectl_\#(name)_f0f1f2f3f4f5_"#), "\(text)")
        #expect(text.contains(#" (\#(name))","unique_id""#), "\(text)")
        #expect(text.contains(#""state_topic":"ble/\#(name)/"#), "\(text)")
        #expect(text.contains(#""device":{"identifiers":["blectl_f0f1f2f3f4f5"]"#), "\(text)")
      }
    }
  }

  @Test("A gateway whose topic has one level has no name", arguments: ["ble", "/ble", "ble/", "//ble"])
  func one(topic: String) {
    let gateway = HomeAssistantGateway(topic: topic)
    #expect(gateway.name == nil)
    #expect(gateway.title("Temperature") == "Temperature")
    #expect(gateway.identifier(of: Self.device, "2a6e") == "blectl_f0f1f2f3f4f5_2a6e")
  }

  @Test(
    "The name of a gateway is the last level of its topic, and identifiers have other signs as numbers",
    arguments: [
      ("ble/attic", "attic", "attic"), ("home/ble/First Floor", "First Floor", "First_Floor"),
      ("ble/garden-shed", "garden-shed", "garden-2dshed"), ("ble/büro", "büro", "b-c3-bcro"),
      ("ble//attic/", "attic", "attic"),
    ])
  func names(topic: String, name: String, word: String) {
    let gateway = HomeAssistantGateway(topic: topic)
    #expect(gateway.title("Battery") == "Battery (\(name))")
    #expect(gateway.identifier(of: Self.device, "2a19") == "blectl_\(word)_f0f1f2f3f4f5_2a19")
  }

  @Test("A name of any length makes an identifier that fits a topic")
  func long() {
    let gateway = HomeAssistantGateway(topic: "ble/" + String(repeating: "ü", count: 30_000))
    #expect(gateway.identifier(of: Self.device, "2a19").utf8.count < 300)
  }
}
