// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import ValueStreams

/// The announcement of a device that the broker has from an earlier process.
struct EarlierAnnouncement {
  let address: BluetoothAddress
  private let text: JSONNode
  private let components: [JSONMember]

  /// Nil unless a gateway with this topic has made it.
  init?(topic: String, _ payload: [UInt8], of gateway: HomeAssistantGateway) {
    guard let text = try? JSONReader.read(payload), text["o"]?["name"]?.string == "blectl",
      text["avty"]?.elements?.first?["t"]?.string == gateway.statusTopic,
      let number = text["dev"]?["ids"]?.elements?.first?.string?.dropFirst("blectl_".count),
      let address = Self.address(String(number)), topic == gateway.configTopic(of: address)
    else { return nil }
    (self.address, self.text, components) = (address, text, text["cmps"]?.members ?? [])
  }

  /// The device, as far as an announcement says.
  private var device: HeardDevice { HeardDevice(address: address, name: text["dev"]?["name"]?.string) }

  /// The address in an identifier.
  static func address(_ number: String) -> BluetoothAddress? {
    let pairs = stride(from: 0, to: number.utf8.count, by: 2).map { number.dropFirst($0).prefix(2) }
    return BluetoothAddress(pairs.joined(separator: ":"))
  }

  /// Writes what this process has not announced itself, so that it stays; what cannot come again is removed.
  func write(besides own: inout Set<String>, _ settings: HomeAssistantSettings, to json: inout JSONWriter) {
    for component in components where own.insert(component.key).inserted {
      guard settings.isOutdated(component.key, of: device) else {
        json.field(component.key, component.value)
        continue
      }
      // Only its platform: Home Assistant removes it.
      json.object(component.key) { $0.field("p", component.value["p"]) }
    }
  }

  /// The messages for a device that has not been heard yet: its alarms and its presence are unknown.
  func messages(_ gateway: HomeAssistantGateway, _ settings: HomeAssistantSettings) -> [BrokerMessage] {
    var messages: [BrokerMessage] = []
    if components.contains(where: { settings.isOutdated($0.key, of: device) && $0.value["uniq_id"] != nil }) {
      messages.append(.retained(gateway.configTopic(of: address), withoutOutdated(settings)))
    }
    let alarms = components.map(\.key).filter {
      $0.hasPrefix("alarm_") && !settings.isOutdated($0, of: device)
    }
    messages.append(
      .retained(
        gateway.stateTopic(of: address),
        HomeAssistantDevice.state(isPresent: nil, settings, alarms.map { ($0, .unknown) })))
    return messages
  }

  private func withoutOutdated(_ settings: HomeAssistantSettings) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      for member in text.members ?? [] where member.key != "cmps" { json.field(member.key, member.value) }
      json.object("cmps") { json in
        var none: Set<String> = []
        write(besides: &none, settings, to: &json)
      }
    }
    return json.bytes
  }

  /// The messages that remove the device, and what the broker keeps of it.
  func removal(_ gateway: HomeAssistantGateway) -> [BrokerMessage] {
    let states = components.compactMap { $0.value["stat_t"]?.string }
      .filter { $0.hasPrefix(gateway.stateTopic(of: address)) }
    // The announcement first: Home Assistant would report a state without content that it still reads.
    let topics = [gateway.configTopic(of: address)] + Set([gateway.stateTopic(of: address)] + states).sorted()
    return topics.map { .retained($0, []) }
  }
}

/// An announcement of a single entity, as earlier versions made them.
struct FormerAnnouncement {
  let topic: String
  let address: BluetoothAddress
  /// True if it is a control, which another connection announces.
  let isControl: Bool

  /// Nil unless a gateway with this topic has made it.
  init?(topic: String, _ payload: [UInt8], of gateway: HomeAssistantGateway) {
    guard let text = try? JSONReader.read(payload), text["origin"]?["name"]?.string == "blectl",
      text["availability_topic"]?.string == gateway.statusTopic,
      let number = text["device"]?["identifiers"]?.elements?.first?.string?.dropFirst("blectl_".count),
      let address = EarlierAnnouncement.address(String(number))
    else { return nil }
    (self.topic, self.address) = (topic, address)
    isControl = text["command_topic"] != nil
  }

  /// The message that lets Home Assistant keep the entity for the announcement of its device.
  var migration: BrokerMessage { .retained(topic, Array(#"{"migrate_discovery":true}"#.utf8)) }
  var removal: BrokerMessage { .retained(topic, []) }
}
