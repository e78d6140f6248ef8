// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// The controls of devices in Home Assistant: numbers, switches and buttons; those of a device are announced together.
struct HomeAssistantControls {
  private let gateway: HomeAssistantGateway
  private let version: String
  private var devices: [BluetoothAddress: [(word: String, fields: JSONFields)]] = [:]

  /// `topic` is the prefix of all topics.
  init(topic: String, version: String) {
    (gateway, self.version) = (HomeAssistantGateway(topic: topic), version)
  }

  /// Adds a control; returns the announcement of its device, or nil if the origin is not a characteristic.
  mutating func add(_ control: LayoutControl, of origin: ValueOrigin) -> BrokerMessage? {
    guard let attribute = origin.attribute, attribute.descriptor == nil else { return nil }
    let word = "\(HomeAssistantPlace(origin).identifier)_\(HomeAssistantGateway.word(control.key))_control"
    let fields = fields(of: control, word, at: attribute, of: origin)
    if let index = devices[origin.address]?.firstIndex(where: { $0.word == word }) {
      devices[origin.address]?[index].fields = fields
    } else {
      devices[origin.address, default: []].append((word, fields))
    }
    var json = JSONWriter()
    json.object { json in
      HomeAssistantDevice.write(
        origin.address, origin.name, isLasting: !origin.device.isPrivate, version: version, to: &json)
      json.array("avty") { json in json.object { $0.field("t", gateway.statusTopic) } }
      json.object("cmps") { json in
        for (word, fields) in devices[origin.address] ?? [] { json.object(word) { $0.fields(fields) } }
      }
    }
    return .retained(gateway.configTopic(of: origin.address, part: "_control"), json.bytes)
  }

  private func fields(
    of control: LayoutControl, _ word: String, at attribute: ValueAttribute, of origin: ValueOrigin
  ) -> JSONFields {
    let characteristic = attribute.characteristic
    let target = attribute.hasTwin ? "@\(characteristic.handle.fourDigits)" : characteristic.uuid.description
    var fields = DecodedFields()
    fields.add(control.key, 0, unit: control.unit)
    let name = KeyWords.name(of: fields.fields[0])
    return JSONFields { json in
      json.field("p", control.platform)
      json.field(
        "name", gateway.title(control.label.isEmpty ? origin.title : "\(origin.title) \(name.lowercased())"))
      json.field("uniq_id", gateway.identifier(of: origin.address, word))
      json.field("cmd_t", "\(gateway.topic)/\(origin.address)/\(target)/set")
      // Without the values of a subscription, Home Assistant shows what it has written.
      let hasState = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
      if hasState, !control.isButton {
        json.field("stat_t", gateway.stateTopic(of: origin.address, HomeAssistantPlace(origin).word))
        json.field("val_tpl", "{{ value_json.decoded.get('\(control.key.templateText)') }}")
      }
      control.write(to: &json, hasState: hasState)
    }
  }
}

extension HomeAssistantPlace {
  /// The name in identifiers of controls, which has a second underscore for the sign `@`.
  fileprivate var identifier: String { sign.hasPrefix("@") ? "_\(sign.dropFirst())" : word }
}

extension LayoutControl {
  fileprivate var platform: String {
    switch kind {
    case .number: "number"
    case .toggle: "switch"
    case .press: "button"
    }
  }

  fileprivate var isButton: Bool { if case .press = kind { true } else { false } }

  fileprivate func write(to json: inout JSONWriter, hasState: Bool) {
    switch kind {
    case .number(let least, let greatest, let step):
      let sensor = SensorKind(key: key, unit: unit)
      json.field("cmd_tpl", "\(key)={{ value }}")
      json.key("min")
      json.literal(least.description)
      json.key("max")
      json.literal(greatest.description)
      json.key("step")
      json.literal(step.description)
      json.field("mode", "box")
      json.field("unit_of_meas", sensor.unit)
    case .toggle(let off, let on, let isTruth):
      json.field("pl_off", "\(key)=\(off)")
      json.field("pl_on", "\(key)=\(on)")
      guard hasState else { return }
      json.field("stat_off", isTruth ? "False" : off)
      json.field("stat_on", isTruth ? "True" : on)
    case .press(let word): json.field("pl_prs", "\(key)=\(word)")
    }
  }
}
