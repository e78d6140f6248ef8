// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats

/// The names of what a gateway announces, which differ from those of others that hear the same devices: the last level of its
/// topic is its name.
struct HomeAssistantGateway {
  /// Nil for a topic of one level.
  let name: String?
  /// The prefix of all topics.
  let topic: String

  /// No identifier becomes longer, however long the topic is.
  private static let longestIdentifier = 200
  /// The prefix of what Home Assistant listens to.
  static let discovery = "homeassistant"

  /// `topic` is the prefix of all topics of a log, such as `ble/attic`.
  init(topic: String) {
    let levels = topic.split(separator: "/")
    name = levels.count > 1 ? levels.last.map { String($0) } : nil
    self.topic = topic
  }

  /// The topic that says whether the log is being written.
  var statusTopic: String { "\(topic)/status" }

  /// The name of a device in identifiers.
  static func number(of address: BluetoothAddress) -> String {
    "\(address)".lowercased().replacing(":", with: "")
  }

  /// The identifier of what belongs to a device, of which `suffix` is one of several.
  func identifier(of address: BluetoothAddress, _ suffix: String) -> String {
    "\(identifier(of: address))_\(suffix)"
  }

  /// The identifier of what this gateway announces of a device.
  private func identifier(of address: BluetoothAddress) -> String {
    let gateway = name.map { "\(Self.identifier($0).prefix(Self.longestIdentifier))_" } ?? ""
    return "blectl_\(gateway)\(Self.number(of: address))"
  }

  /// The topic of the announcement of a device; `part` distinguishes several.
  func configTopic(of address: BluetoothAddress, part: String = "") -> String {
    "\(Self.discovery)/device/\(identifier(of: address))\(part)/config"
  }

  /// The topic of the state of a device, or of the values at one of its places.
  func stateTopic(of address: BluetoothAddress, _ place: String? = nil) -> String {
    "\(topic)/\(address)/state" + (place.map { "/\($0)" } ?? "")
  }

  /// The topic of what happens at a place of a device.
  func eventTopic(of address: BluetoothAddress, _ place: String, _ key: String) -> String {
    "\(topic)/\(address)/event/\(place)/\(key)"
  }

  /// The name of what belongs to a device, for people.
  func title(_ title: String) -> String { name.map { "\(title) (\($0))" } ?? title }

  /// A text as a part of a topic: letters, digits and underscores; other signs are numbers.
  static func identifier(_ text: String) -> String {
    text.utf8.reduce(into: "") { identifier, byte in
      identifier += byte == UInt8(ascii: " ") ? "_" : escaped(byte)
    }
  }

  /// The word for the source or the key of a value in identifiers and topics; each has another one, for ever.
  ///
  /// A UUID, and a published type, have no hyphens.
  static func word(_ text: String) -> String {
    if BluetoothUUID(text) != nil || AdvertisedFormats.types.contains(text) {
      return text.replacing("-", with: "")
    }
    return text.utf8.reduce(into: "") { $0 += escaped($1) }
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      String(Unicode.Scalar(byte))
    default: "-" + Hex.string([byte])
    }
  }
}
