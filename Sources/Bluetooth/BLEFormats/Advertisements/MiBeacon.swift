// SPDX-License-Identifier: MIT

/// A frame of a Xiaomi device, in service data of FE95, and the objects in it: "MiBeacon protocol" v5, Xiaomi.
public struct MiBeacon: AdvertisedFormat, Hashable {
  static let service = BluetoothUUID(short: 0xfe95)

  /// True if the objects are encrypted; if so, they are not decoded.
  public let isEncrypted: Bool
  /// The version of the format.
  public let version: Int
  /// The product.
  public let product: UInt16
  /// The frame counter.
  public let counter: UInt8
  /// The device's address, if the frame contains it.
  public let address: BluetoothAddress?
  /// The events and attributes.
  public let objects: [Object]
  /// The bytes that were not decoded: encrypted ones, or those of an object that is cut off.
  public let rest: [UInt8]
  /// The bytes of a frame without objects, or of another kind: one of the mesh, or of version 1.
  private let others: [UInt8]
  /// The first five bytes: two of control bits, two of the product, the frame counter.
  private let header: [UInt8]

  /// Decodes the bytes after the UUID: two of control bits, two of the product, a counter, and more.
  ///
  /// Returns nil if there are too few.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    guard let header = reader.bytes(5) else { return nil }
    let control = Int(header[1]) << 8 | Int(header[0])
    self.header = header
    version = control >> 12
    product = UInt16(header[3]) << 8 | UInt16(header[2])
    counter = header[4]
    // Frames of the mesh, and those of version 1, have other contents; without objects, nothing is encrypted.
    let hasObjects = control & 0x0040 != 0 && control & 0x0080 == 0 && version >= 2
    isEncrypted = control & 0x0008 != 0
    address = control & 0x0010 == 0 ? nil : reader.bytes(6).flatMap { BluetoothAddress(bytes: $0.reversed()) }
    // A capability may announce two more bytes, the abilities for input and output.
    if control & 0x0020 != 0, let capability = reader.unsigned(1), capability & 0x20 != 0 {
      _ = reader.bytes(2)
    }
    let contents = hasObjects ? reader.remainder() : []
    others = reader.remainder()
    (objects, rest) = isEncrypted ? ([], contents) : Self.objects(contents, of: product)
  }

  /// Creates the frame with its objects, decrypted.
  private init(_ frame: MiBeacon, opened: [UInt8]) {
    (isEncrypted, version, product, counter) = (false, frame.version, frame.product, frame.counter)
    (address, header, others) = (frame.address, frame.header, [])
    (objects, rest) = Self.objects(opened, of: frame.product)
  }

  /// Decodes objects, and returns them with the bytes of one that is cut off.
  private static func objects(_ bytes: [UInt8], of product: UInt16) -> (objects: [Object], rest: [UInt8]) {
    var reader = ByteReader(bytes)
    var objects: [Object] = []
    while let object = Object(&reader, of: product) { objects.append(object) }
    return (objects, reader.remainder())
  }

  /// The name of the format for programs.
  public var type: String { "mibeacon" }
  /// The name of the format for people.
  public var label: String { "MiBeacon" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("product_id", .bytes(product.bigEndianBytes), label: "product")
    fields.add("version", .integer(version), label: "version")
    fields.add("counter", .integer(Int(counter)), label: "counter")
    fields.add("encrypted", .bool(isEncrypted), label: "encrypted")
    for object in objects {
      let decoded = object.fields
      for field in decoded.fields { fields.addNumbered(field) }
      fields.problems += decoded.problems
    }
    if !isEncrypted, !rest.isEmpty {
      fields.rest = rest
      fields.problems.append("the last object is cut off")
    }
    fields.rest += others
    fields.rejectImpossible()
    return fields
  }
}

extension MiBeacon: DecryptableFormat {
  /// True if there are values, and they are encrypted.
  public var needsKey: Bool { isEncrypted && !rest.isEmpty }

  /// The four bytes that complete a key of 12.
  private static let keyFiller: [UInt8] = [0x8d, 0x3d, 0x3c, 0x97]

  /// Decrypts the objects; three more bytes of the counter and a tag follow them.
  func decrypted(
    from address: BluetoothAddress, key: BindKey
  ) throws(DecryptionError) -> (format: MiBeacon, counter: PacketCounter) {
    let address = [UInt8]((self.address ?? address).bytes.reversed())
    let tagCount = version >= 4 ? 4 : 1
    guard rest.count >= 3 + tagCount else { throw .malformed("the counter or the tag is cut off") }
    let (sealed, tag) = (Array(rest.dropLast(3 + tagCount)), Array(rest.suffix(tagCount)))
    let upper = Array(rest.suffix(3 + tagCount).prefix(3))
    let opened =
      version >= 4
      ? try key.open(sealed, tag: tag, nonce: address + Array(header[2...]) + upper, associated: [0x11])
      : try openLegacy(sealed, tag: tag, nonce: header + upper + Array(address.prefix(5)), key: key)
    return (MiBeacon(self, opened: opened), PacketCounter(littleEndian: [counter] + upper))
  }

  /// Decrypts the objects of versions 2 and 3: their tag is the first byte of one of 16 bytes.
  ///
  /// A wrong key has this byte right in one of 256 packets, so the objects have to be complete as well.
  private func openLegacy(
    _ sealed: [UInt8], tag: [UInt8], nonce: [UInt8], key: BindKey
  ) throws(DecryptionError) -> [UInt8] {
    guard key.bytes.count == 12 else { throw .keyLength(needed: 12) }
    let full = key.bytes.prefix(6) + Self.keyFiller + key.bytes.suffix(6)
    let (opened, expected) = try BindKey.open(sealed, key: Array(full), nonce: nonce, associated: [0x11])
    guard expected.prefix(1) == tag[...], Self.objects(opened, of: product).rest.isEmpty else {
      throw .wrongKey
    }
    return opened
  }
}
