// SPDX-License-Identifier: MIT

/// A sensor of the open format BTHome, version 2, in service data of FCD2: bthome.io/format.
public struct BTHome: AdvertisedFormat, Hashable {
  /// The version of the format: 2, or a later one, which is not decoded.
  public let version: Int
  /// True if the measurements are encrypted; if so, they are not decoded.
  public let isEncrypted: Bool
  /// True if it sends only on events, such as a button press.
  public let isTriggered: Bool
  /// The measurements, states and events.
  public let objects: [Object]
  /// The bytes that were not decoded: encrypted ones, or those from an unknown object on.
  public let rest: [UInt8]

  /// The bits of the device information that are reserved; encryption covers them.
  private let reserved: UInt8

  /// The first byte, the device information.
  var information: UInt8 {
    UInt8(version) << 5 | (isTriggered ? 0x04 : 0) | (isEncrypted ? 0x01 : 0) | reserved
  }

  /// The key that stands for ``isTriggered`` in text.
  static let triggeredKey = "triggered"

  init(
    version: Int, isEncrypted: Bool, isTriggered: Bool, reserved: UInt8 = 0, objects: [Object], rest: [UInt8]
  ) {
    (self.version, self.isEncrypted, self.isTriggered) = (version, isEncrypted, isTriggered)
    (self.reserved, self.objects, self.rest) = (reserved, objects, rest)
  }

  /// Decodes the bytes after the UUID, device information and then objects, or returns nil.
  public init?(data: [UInt8]) {
    guard let information = data.first else { return nil }
    version = Int(information >> 5)
    isEncrypted = information & 0x01 != 0
    isTriggered = information & 0x04 != 0
    reserved = information & 0x1a
    let contents = data.dropFirst()
    (objects, rest) =
      version == 2 && reserved == 0 && !isEncrypted ? Self.objects(contents) : ([], Array(contents))
  }

  /// Decodes objects, and returns them with the bytes from the first unknown one on.
  private static func objects(_ bytes: ArraySlice<UInt8>) -> (objects: [Object], rest: [UInt8]) {
    var reader = ByteReader(bytes)
    var objects: [Object] = []
    objects.reserveCapacity(min(bytes.count / 2, 8))
    while let identifier = reader.rest.first, let kind = BTHomeKind.of(identifier) {
      guard let object = Object(identifier, kind, &reader) else { break }
      objects.append(object)
    }
    return (objects, reader.remainder())
  }

  /// The name of the format for programs.
  public var type: String { isEncrypted ? "bthome-encrypted" : "bthome" }
  /// The name of the format for people.
  public var label: String { isEncrypted ? "BTHome (encrypted)" : "BTHome" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    // And what comes with an advertisement.
    fields.fields.reserveCapacity(objects.count + 3)
    for object in objects {
      fields.addNumbered(
        DecodedFields.Field(key: object.key, value: object.value, label: object.label, unit: object.unit))
    }
    if isTriggered { fields.add(Self.triggeredKey, true, label: Self.triggeredKey) }
    fields.rest = rest
    fields.rejectImpossible()
    if version != 2 {
      fields.problems.append("version \(version) is not known")
    } else if reserved != 0 {
      // Other bytes can stand before the objects: the address, for one, in some implementations.
      fields.problems.append("reserved bits 0x\(Hex.string([reserved])) of the device information are set")
    } else if !isEncrypted, let unread = rest.first {
      fields.problems.append(
        BTHomeKind.of(unread) == nil
          ? "object 0x\(Hex.string([unread])) is not known" : "the last object is cut off")
    }
    return fields
  }
}

/// Source: bthome.io/encryption.
extension BTHome: DecryptableFormat {
  /// True if the values are encrypted.
  public var needsKey: Bool { isEncrypted }

  /// Decrypts the objects behind the device information; a counter of four bytes and a tag of four follow them.
  func decrypted(
    from address: BluetoothAddress, key: BindKey
  ) throws(DecryptionError) -> (format: BTHome, counter: PacketCounter) {
    guard version == 2 else { throw .malformed("version \(version) is not known") }
    guard rest.count >= 8 else { throw .malformed("the counter or the tag is cut off") }
    let counter = Array(rest.suffix(8).prefix(4))
    let nonce = address.bytes + [0xd2, 0xfc, information] + counter
    let opened = try key.open(rest.dropLast(8), tag: rest.suffix(4), nonce: nonce)
    let (objects, rest) = reserved == 0 ? Self.objects(opened[...]) : ([], opened)
    let format = BTHome(
      version: 2, isEncrypted: false, isTriggered: isTriggered, reserved: reserved, objects: objects,
      rest: rest)
    return (format, PacketCounter(littleEndian: counter))
  }

  /// Encrypts the objects, and returns the bytes after the UUID.
  func sealed(
    from address: BluetoothAddress, key: BindKey, counter: UInt32
  ) throws(DecryptionError) -> [UInt8] {
    let information = information | 0x01
    let counter = ByteWidth.u32.encode(counter)
    let sealed = try key.seal(
      data.dropFirst(), nonce: address.bytes + [0xd2, 0xfc, information] + counter)
    return [information] + sealed.bytes + counter + sealed.tag
  }
}
