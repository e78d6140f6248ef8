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
    var controls = HomeAssistantControls(topic: "ble/attic", version: "1.0")
    let announced = controls.add(control, of: origin)
    let message = try #require(announced)
    #expect(message.isRetained)
    return (message.topic, String(decoding: message.payload, as: UTF8.self))
  }

  @Test("A number has its limits and steps, and is written as a field")
  func number() throws {
    let (topic, text) = try Self.message("level=i16*0.5°C")
    #expect(topic == "homeassistant/device/blectl_attic_f0f1f2f3f4f5_control/config")
    #expect(
      text == #"""
        {"dev":{"ids":["blectl_f0f1f2f3f4f5"],"cns":[["bluetooth","F0:F1:F2:F3:F4:F5"]],"name":"Lamp"},\#
        "o":{"name":"blectl","sw":"1.0"},"avty":[{"t":"ble/attic/status"}],"cmps":{\#
        "ffe1_level_celsius_control":{"p":"number","name":"ffe1 (attic)",\#
        "uniq_id":"blectl_attic_f0f1f2f3f4f5_ffe1_level_celsius_control",\#
        "cmd_t":"ble/attic/F0:F1:F2:F3:F4:F5/ffe1/set",\#
        "stat_t":"ble/attic/F0:F1:F2:F3:F4:F5/state/ffe1",\#
        "val_tpl":"{{ value_json.decoded.get('level_celsius') }}",\#
        "cmd_tpl":"level_celsius={{ value }}","min":-16384,"max":16383.5,"step":0.5,"mode":"box",\#
        "unit_of_meas":"°C"}}}
        """#)
  }

  @Test("What is true or false is a switch; without notifications, it has no state")
  func toggle() throws {
    let text = try Self.message("lit=bool").text
    #expect(text.contains(#""p":"switch""#))
    #expect(text.contains(#""pl_off":"lit=no","pl_on":"lit=yes","stat_off":"False","stat_on":"True""#))
    let silent = try Self.message("lit=bool", properties: [.write]).text
    #expect(!silent.contains("stat_"))
  }

  @Test("Where a device has a UUID twice, the handle names the characteristic")
  func twin() throws {
    let text = try Self.message("level=u8", hasTwin: true).text
    #expect(text.contains(#""uniq_id":"blectl_attic_f0f1f2f3f4f5__0007_level_control""#))
    #expect(text.contains(#""cmd_t":"ble/attic/F0:F1:F2:F3:F4:F5/@0007/set""#))
    #expect(text.contains(#""stat_t":"ble/attic/F0:F1:F2:F3:F4:F5/state/ffe1_0007""#))
  }

  @Test("The controls of a device are announced together")
  func several() throws {
    var controls = HomeAssistantControls(topic: "ble", version: "1.0")
    var text = ""
    for layout in ["level=u8", "lit=bool", "level=u8"] {
      let control = try #require(try ValueLayout(compact: layout).control)
      let announced = controls.add(control, of: SampleStream.origin(Self.uuid))
      text = String(decoding: try #require(announced).payload, as: UTF8.self)
    }
    #expect(text.split(separator: "\"p\":").count == 3)
  }
}
