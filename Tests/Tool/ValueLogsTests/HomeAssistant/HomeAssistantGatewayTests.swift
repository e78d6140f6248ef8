// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import JSON
@testable import ValueLogs
@testable import ValueStreams

@Suite("Gateways in Home Assistant")
struct HomeAssistantGatewayTests {
  private static let device = SampleStream.address

  @Test("Two gateways that hear a device announce entities of their own, of the same device")
  func two() throws {
    var announcements: [[String: JSONNode]] = []
    for name in ["attic", "cellar"] {
      let home = AnnouncedHome(topic: "ble/\(name)") { settings in
        (settings.alarms, settings.watchesAbsence) = (
          [.init("heart_rate_bpm > 1", names: ["heart_rate_bpm"])], true
        )
      }
      home.hear(SampleStream.values([[0, 60]]), SampleStream.bthome("4002ca09"))
      home.wait()
      let topic = "homeassistant/device/blectl_\(name)_f0f1f2f3f4f5/config"
      let components = home.components(topic)
      #expect(components.count == 5)
      for component in components.values {
        #expect(component["name"]?.string?.hasSuffix(" (\(name))") == true)
        #expect(component["uniq_id"]?.string?.hasPrefix("blectl_\(name)_f0f1f2f3f4f5_") == true)
        #expect(component["stat_t"]?.string?.hasPrefix("ble/\(name)/") == true)
      }
      #expect(home.announcement(topic)?["dev"]?["ids"]?.elements?.map(\.string) == ["blectl_f0f1f2f3f4f5"])
      announcements.append(components)
    }
    #expect(announcements[0].keys == announcements[1].keys)
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
