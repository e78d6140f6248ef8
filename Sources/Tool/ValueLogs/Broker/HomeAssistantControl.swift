// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEFormats
internal import JSON
package import ValueStreams

/// The announcement of a characteristic that Home Assistant can write: a number, a switch or a button.
struct HomeAssistantControl {
  let message: BrokerMessage

  /// Nil if the origin is not a characteristic.
  init?(_ control: LayoutControl, of origin: ValueOrigin, under topic: String) {
    guard let attribute = origin.attribute, attribute.descriptor == nil else { return nil }
    let characteristic = attribute.characteristic
    let format = BrokerRecords(topic: topic)
    let device = HomeAssistantDevice(address: origin.address, name: origin.name)
    let word = attribute.hasTwin ? "@\(characteristic.handle.fourDigits)" : origin.word
    let identifier = format.gateway.identifier(
      of: device, HomeAssistant.identifier("\(word)_\(control.key)_control"))
    let place = format.topic(of: origin)
    var json = JSONWriter()
    json.object { json in
      json.field(
        "name",
        format.gateway.title(control.label.isEmpty ? origin.title : "\(origin.title) \(control.label)"))
      json.field("unique_id", identifier)
      json.field(
        "command_topic", attribute.hasTwin ? "\(topic)/\(origin.address)/\(word)/set" : "\(place)/set")
      // Without the values of a subscription, Home Assistant shows what it has written.
      let hasState = !characteristic.properties.isDisjoint(with: [.notify, .indicate]) && !attribute.hasTwin
      if hasState, !control.isButton {
        json.field("state_topic", place)
        json.field("value_template", control.stateTemplate)
      }
      control.write(to: &json, hasState: hasState)
      json.field("availability_topic", format.statusTopic)
      device.write(to: &json)
    }
    message = .retained("homeassistant/\(control.component)/\(identifier)/config", json.bytes)
  }
}

extension LayoutControl {
  fileprivate var component: String {
    switch kind {
    case .number: "number"
    case .toggle: "switch"
    case .press: "button"
    }
  }

  fileprivate var isButton: Bool { if case .press = kind { true } else { false } }

  fileprivate var stateTemplate: String {
    let value = "value_json.decoded['\(key)'] | is_defined"
    return if case .toggle(_, _, isTruth: true) = kind { "{{ (\(value)) | lower }}" } else {
      "{{ \(value) }}"
    }
  }

  fileprivate func write(to json: inout JSONWriter, hasState: Bool) {
    switch kind {
    case .number(let least, let greatest, let step):
      json.field("command_template", "\(key)={{ value }}")
      json.key("min")
      json.literal(least.description)
      json.key("max")
      json.literal(greatest.description)
      json.key("step")
      json.literal(step.description)
      json.field("mode", "box")
      if !unit.isEmpty { json.field("unit_of_measurement", unit) }
    case .toggle(let off, let on, let isTruth):
      json.field("payload_off", "\(key)=\(off)")
      json.field("payload_on", "\(key)=\(on)")
      guard hasState else { return }
      json.field("state_off", isTruth ? "false" : off)
      json.field("state_on", isTruth ? "true" : on)
    case .press(let word): json.field("payload_press", "\(key)=\(word)")
    }
  }
}

extension BrokerControl {
  /// Announces to Home Assistant how a characteristic can be written.
  package func announce(_ control: LayoutControl, of origin: ValueOrigin) {
    guard let announcement = HomeAssistantControl(control, of: origin, under: topic) else { return }
    announce(announcement.message)
  }
}
