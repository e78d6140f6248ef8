// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import ValueLogs
@testable import ValueStreams

@Suite("Controls of Home Assistant")
struct HomeAssistantControlTests {
  private static let uuid = BluetoothUUID(short: 0xffe1)

  private static func message(
    _ layout: String, properties: CharacteristicProperties = [.write, .notify], hasTwin: Bool = false
  ) throws -> (topic: String, text: String) {
    let control = try #require(try ValueLayout(compact: layout).control)
    let characteristic = GATTCharacteristic(
      path: "/c", devicePath: "/d", uuid: uuid, service: .heartRate, handle: 7, properties: properties,
      mtu: nil, descriptors: [])
    let origin = ValueOrigin(
      address: SampleStream.address, name: "Lamp", characteristic: characteristic, transport: .read,
      hasTwin: hasTwin)
    let announced = try #require(HomeAssistantControl(control, of: origin, under: "ble/attic"))
    #expect(announced.message.isRetained)
    return (announced.message.topic, String(decoding: announced.message.payload, as: UTF8.self))
  }

  @Test("A number has its limits and steps, and is written as a field")
  func number() throws {
    let (topic, text) = try Self.message("level=i16*0.5°C")
    #expect(topic == "homeassistant/number/blectl_attic_f0f1f2f3f4f5_ffe1_level_celsius_control/config")
    #expect(
      text == #"""
        {"name":"ffe1 (attic)","unique_id":"blectl_attic_f0f1f2f3f4f5_ffe1_level_celsius_control",\#
        "command_topic":"ble/attic/F0:F1:F2:F3:F4:F5/ffe1/set",\#
        "state_topic":"ble/attic/F0:F1:F2:F3:F4:F5/ffe1",\#
        "value_template":"{{ value_json.decoded['level_celsius'] | is_defined }}",\#
        "command_template":"level_celsius={{ value }}","min":-16384,"max":16383.5,"step":0.5,"mode":"box",\#
        "unit_of_measurement":"°C","availability_topic":"ble/attic/status",\#
        "device":{"identifiers":["blectl_f0f1f2f3f4f5"],"connections":[["bluetooth","F0:F1:F2:F3:F4:F5"]],\#
        "name":"Lamp"},"origin":{"name":"blectl"}}
        """#)
  }

  @Test("What is true or false is a switch; without notifications, it has no state")
  func toggle() throws {
    let (topic, text) = try Self.message("lit=bool")
    #expect(topic.hasPrefix("homeassistant/switch/"))
    #expect(
      text.contains(#""payload_off":"lit=no","payload_on":"lit=yes","state_off":"false","state_on":"true""#))
    let silent = try Self.message("lit=bool", properties: [.write]).text
    #expect(!silent.contains("state"))
  }

  @Test("Where a device has a UUID twice, the handle names the characteristic")
  func twin() throws {
    let (topic, text) = try Self.message("level=u8", hasTwin: true)
    #expect(topic == "homeassistant/number/blectl_attic_f0f1f2f3f4f5__0007_level_control/config")
    #expect(text.contains(#""command_topic":"ble/attic/F0:F1:F2:F3:F4:F5/@0007/set""#))
    #expect(!text.contains("state_topic"))
  }
}
