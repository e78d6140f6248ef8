// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// An image in a slot, as the boot loader MCUboot reads it.
struct SlotImage: Sendable, Equatable {
  static let magic: [UInt8] = [0x3d, 0xb8, 0xf3, 0x96]

  let bytes: [UInt8]
  let version: ImageVersion
  /// The hash that stands behind the image.
  let hash: [UInt8]
  /// True if that is the hash of the image.
  let isIntact: Bool

  /// Fails without a header and a hash.
  init?(_ bytes: [UInt8]) {
    guard let version = SlotImage.version(in: bytes) else { return nil }
    let header = LittleEndian.number(bytes[8..<10])
    let protected = LittleEndian.number(bytes[10..<12])
    let hashed = header + LittleEndian.number(bytes[12..<16]) + protected
    guard hashed + 4 <= bytes.count, bytes[hashed] == 0x07, bytes[hashed + 1] == 0x69 else { return nil }
    let end = hashed + LittleEndian.number(bytes[hashed + 2..<hashed + 4])
    guard end <= bytes.count else { return nil }
    var hash: [UInt8]?
    var place = hashed + 4
    while place + 4 <= end {
      let type = LittleEndian.number(bytes[place..<place + 2])
      let size = LittleEndian.number(bytes[place + 2..<place + 4])
      guard place + 4 + size <= end else { return nil }
      if type == 0x10 { hash = Array(bytes[place + 4..<place + 4 + size]) }
      place += 4 + size
    }
    guard let hash else { return nil }
    (self.bytes, self.version, self.hash) = (bytes, version, hash)
    isIntact = (try? SHA256.digest(of: Array(bytes[..<hashed]))) == hash
  }

  /// Returns the version in a header; nil if it is none.
  static func version(in bytes: [UInt8]) -> ImageVersion? {
    guard bytes.count >= 32, bytes.starts(with: magic) else { return nil }
    return ImageVersion(
      bytes[20], bytes[21], UInt16(LittleEndian.number(bytes[22..<24])),
      build: UInt32(LittleEndian.number(bytes[24..<28])))
  }
}
