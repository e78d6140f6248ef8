// SPDX-License-Identifier: MIT

/// A sensor of the open format BTHome, version 2, in service data of FCD2: bthome.io/format.
public struct BTHome: AdvertisedFormat, Hashable {
  /// The version of the format: 2, or a later one, which is not decoded.
  public let version: Int
  /// Whether the measurements are encrypted; if so, they are not decoded.
  public let isEncrypted: Bool
  /// Whether it sends only on events, such as a button press.
  public let isTriggered: Bool
  /// The measurements, states and events.
  public let objects: [Object]
  /// The bytes that were not decoded: encrypted ones, or those from an unknown object on.
  public let rest: [UInt8]

  /// The key that stands for ``isTriggered`` in text.
  static let triggeredKey = "triggered"

  init(version: Int, isEncrypted: Bool, isTriggered: Bool, objects: [Object], rest: [UInt8]) {
    (self.version, self.isEncrypted, self.isTriggered) = (version, isEncrypted, isTriggered)
    (self.objects, self.rest) = (objects, rest)
  }

  /// Decodes the bytes after the UUID, device information and then objects, or returns nil.
  public init?(data: [UInt8]) {
    guard let information = data.first else { return nil }
    version = Int(information >> 5)
    isEncrypted = information & 0x01 != 0
    isTriggered = information & 0x04 != 0
    var reader = ByteReader(data.dropFirst())
    var objects: [Object] = []
    if version == 2, !isEncrypted {
      while let identifier = reader.rest.first, let kind = BTHomeKind(identifier) {
        guard let object = Object(identifier, kind, &reader) else { break }
        objects.append(object)
      }
    }
    self.objects = objects
    rest = reader.remainder()
  }

  /// The name of the format for programs.
  public var type: String { isEncrypted ? "bthome-encrypted" : "bthome" }
  /// The name of the format for people.
  public var label: String { isEncrypted ? "BTHome (encrypted)" : "BTHome" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    var counts: [String: Int] = [:]
    for object in objects {
      // Objects of the same kind are numbered: temperature_celsius, temperature_celsius_2.
      let count = counts[object.key, default: 0] + 1
      counts[object.key] = count
      let key = count == 1 ? object.key : "\(object.key)_\(count)"
      fields.add(key, object.value, label: object.label, unit: object.unit)
    }
    if isTriggered { fields.add(Self.triggeredKey, true, label: Self.triggeredKey) }
    fields.rest = rest
    if version != 2 {
      fields.problems.append("version \(version) is not known")
    } else if !isEncrypted, let unread = rest.first {
      fields.problems.append(
        BTHomeKind(unread) == nil
          ? "object 0x\(Hex.string([unread])) is not known" : "the last object is cut off")
    }
    return fields
  }
}
