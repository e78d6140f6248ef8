// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The name that distinguishes the sensors of this gateway from those of others that hear the same devices:
/// the last level of its topic.
struct HomeAssistantGateway {
  /// Nil for a topic of one level.
  let name: String?

  /// No identifier becomes longer, however long the topic is.
  private static let longestIdentifier = 200

  /// `topic` is the prefix of all topics of a log, such as `ble/attic`.
  init(topic: String) {
    let levels = topic.split(separator: "/")
    name = levels.count > 1 ? levels.last.map { String($0) } : nil
  }

  /// The identifier of what belongs to a device, of which `suffix` is one of several.
  func identifier(of device: HomeAssistantDevice, _ suffix: String) -> String {
    let gateway = name.map { "\(Self.identifier($0).prefix(Self.longestIdentifier))_" } ?? ""
    return "blectl_\(gateway)\(device.number)_\(suffix)"
  }

  /// The name of what belongs to a device, for people.
  func title(_ title: String) -> String { name.map { "\(title) (\($0))" } ?? title }

  /// A text as a part of a topic: letters, digits and underscores; other signs are numbers.
  static func identifier(_ text: String) -> String {
    var identifier = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        identifier.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: " "): identifier += "_"
      default: identifier += "-" + Hex.string([byte])
      }
    }
    return identifier
  }
}
