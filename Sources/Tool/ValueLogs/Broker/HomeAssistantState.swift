// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import ValueStreams

/// A device in announcements for Home Assistant.
struct HomeAssistantDevice {
  let address: BluetoothAddress
  let name: String?

  /// The name of the device in identifiers.
  var number: String { "\(address)".lowercased().replacing(":", with: "") }

  /// The same for all gateways: what they hear of it is one device in Home Assistant.
  private var identifier: String { "blectl_" + number }

  /// Writes the fields of an announcement that it shares with those of its other sensors.
  func write(to json: inout JSONWriter) {
    json.object("device") { json in
      json.array("identifiers") { $0.value(identifier) }
      json.array("connections") { json in
        json.array { json in
          json.value("bluetooth")
          json.value("\(address)")
        }
      }
      json.field("name", name ?? "\(address)")
    }
    json.object("origin") { $0.field("name", "blectl") }
  }
}

/// The announcement of what is on or off: an alarm, or the presence of a device.
struct HomeAssistantState {
  let message: BrokerMessage

  /// An alarm, which is a problem while it lasts.
  init(_ alarm: AlarmRecord, _ format: BrokerRecords) {
    let condition = alarm.condition.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    message = Self.message(
      of: HomeAssistantDevice(address: alarm.address, name: alarm.name),
      as: "alarm_" + HomeAssistantGateway.identifier(alarm.condition), named: alarm.condition,
      deviceClass: "problem",
      at: format.alarmTopic(alarm.address),
      // Home Assistant ignores a message that leaves nothing.
      "{% if value_json.when == '\(condition)' %}{{ 'ON' if value_json.event == 'alarm' else 'OFF' }}{% endif %}",
      format)
  }

  /// The presence of a device; nil if its address is unknown.
  init?(_ absence: AbsenceRecord, _ format: BrokerRecords) {
    guard let address = absence.address else { return nil }
    message = Self.message(
      of: HomeAssistantDevice(address: address, name: absence.name), as: "presence", named: "Presence",
      deviceClass: "connectivity", at: format.absenceTopic(address),
      "{{ 'OFF' if value_json.event == 'absent' else 'ON' }}", format)
  }

  private static func message(
    of device: HomeAssistantDevice, as suffix: String, named name: String, deviceClass: String,
    at topic: String, _ template: String, _ format: BrokerRecords
  ) -> BrokerMessage {
    let gateway = format.gateway
    let sensor = gateway.identifier(of: device, suffix)
    var json = JSONWriter()
    json.object { json in
      json.field("name", gateway.title(name))
      json.field("unique_id", sensor)
      json.field("state_topic", topic)
      json.field("value_template", template)
      json.field("device_class", deviceClass)
      json.field("availability_topic", format.statusTopic)
      device.write(to: &json)
    }
    return .retained("homeassistant/binary_sensor/\(sensor)/config", json.bytes)
  }
}
