// SPDX-License-Identifier: MIT

/// The init packet of Legacy DFU: the devices that a firmware is for, and a checksum.
package struct LegacyInitPacket: Sendable, Equatable {
  /// The kind of device; ffff stands for any.
  package let deviceType: UInt16
  /// The revision of the device; ffff stands for any.
  package let deviceRevision: UInt16
  /// The version of the application; ffffffff stands for any.
  package let applicationVersion: UInt32
  /// The SoftDevices that the firmware runs with; fffe stands for any.
  package let softDevices: [UInt16]
  /// The CRC-16 of the firmware; nil if the packet has a hash, or neither.
  package let crc16: UInt16?
  /// The SHA-256 of the firmware, in the newer form.
  package let sha256: [UInt8]?
  /// The size of the firmware, in the newer form.
  package let firmwareSize: UInt32?

  /// Reads a packet whose length fits its content; nil for other bytes, such as those of Secure DFU.
  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let type = reader.unsigned(2), let revision = reader.unsigned(2), let version = reader.unsigned(4),
      let count = reader.unsigned(2), 2 * count <= reader.rest.count
    else { return nil }
    deviceType = UInt16(truncatingIfNeeded: type)
    deviceRevision = UInt16(truncatingIfNeeded: revision)
    applicationVersion = UInt32(truncatingIfNeeded: version)
    softDevices = (0..<count).compactMap { _ in reader.unsigned(2).map { UInt16(truncatingIfNeeded: $0) } }
    let checksum: Int?
    if reader.rest.isEmpty || reader.rest.count == 2 {
      checksum = reader.unsigned(2)
      (firmwareSize, sha256) = (nil, nil)
    } else {
      // The form of nrfutil 0.6 and 0.7: its kind, the size, the hash, perhaps a signature; kind 0 has a CRC instead.
      switch (reader.unsigned(4), reader.rest.count) {
      case (0, 2):
        checksum = reader.unsigned(2)
        (firmwareSize, sha256) = (nil, nil)
      case (1, 36), (2, 100):
        checksum = nil
        firmwareSize = reader.unsigned(4).map { UInt32(truncatingIfNeeded: $0) }
        sha256 = reader.bytes(32)
      default: return nil
      }
    }
    crc16 = checksum.map { UInt16(truncatingIfNeeded: $0) }
  }

  /// Compares a firmware with what the packet says of it.
  func problems(with firmware: [UInt8]) -> [String] {
    var problems: [String] = []
    if let crc16 {
      let found = CRC16.of(firmware)
      if found != crc16 {
        problems.append("its CRC-16 is \(found.fourDigits), the init packet says \(crc16.fourDigits)")
      }
    }
    if let firmwareSize, Int(firmwareSize) != firmware.count {
      problems.append("it has \(firmware.count) bytes, the init packet says \(firmwareSize)")
    }
    if let sha256, let digest = try? SHA256.digest(of: firmware), digest != sha256,
      digest.reversed() != sha256
    {
      problems.append("its SHA-256 is \(Hex.string(digest)), the init packet says \(Hex.string(sha256))")
    }
    return problems
  }
}
