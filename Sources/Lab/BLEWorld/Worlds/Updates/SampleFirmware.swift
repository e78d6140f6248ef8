// SPDX-License-Identifier: MIT
package import BLEFormats

/// Firmware made by code, for simulated devices and for tests: the same arguments give the same bytes.
package enum SampleFirmware {
  /// Returns an image of MCUboot without a signature; `size` is that of the code, and `seed` chooses its bytes.
  package static func image(
    _ version: MCUbootImage.Version, size: Int = 4096, seed: UInt32 = 1
  ) -> [UInt8] {
    let headerSize = 0x200
    var image: [UInt8] = [0x3d, 0xb8, 0xf3, 0x96]
    // The load address, the sizes of the header, of protected entries and of the code, and the flags.
    for (number, width) in [(0, 4), (headerSize, 2), (0, 2), (size, 4), (0, 4)] {
      image += little(number, width)
    }
    image += [version.major, version.minor]
    image += little(Int(version.revision), 2)
    image += little(Int(version.build), 4)
    image += [UInt8](repeating: 0, count: headerSize - image.count)
    image += code(size, seed: seed)
    let digest = (try? SHA256.digest(of: image)) ?? []
    // The hash is the only entry behind the image.
    image += [0x07, 0x69]
    image += little(8 + digest.count, 2)
    image += [0x10, 0x00]
    image += little(digest.count, 2)
    return image + digest
  }

  /// Returns an image of a version as text; nil if that is not a version.
  package static func image(_ version: String, size: Int = 4096, seed: UInt32 = 1) -> [UInt8]? {
    MCUbootImage.Version(parsing: version).map { image($0, size: size, seed: seed) }
  }

  /// Returns bytes that look like code.
  package static func code(_ size: Int, seed: UInt32 = 1) -> [UInt8] {
    var state = seed &* 2_654_435_761 | 1
    return (0..<size).map { _ in
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return UInt8(truncatingIfNeeded: state >> 24)
    }
  }

  /// Returns an init packet of Secure DFU for an application; its version is a number such as 10203 for 1.2.3.
  package static func secureInit(
    for firmware: [UInt8], version: UInt32, kind: NordicFirmware.Kind = .application
  ) -> [UInt8] {
    let digest = (try? SHA256.digest(of: firmware)) ?? []
    var hash = number(1, 3)
    hash += content(2, digest.reversed())
    var application = number(1, UInt64(version))
    application += number(2, 52)
    application += content(3, [0x00])
    application += number(4, SecureInitPacket.kinds.first { $0.value == kind }?.key ?? 0)
    // Of both, a half each.
    let first = kind == .softDeviceAndBootloader ? firmware.count / 2 : firmware.count
    let sizes: [NordicFirmware.Kind: [Int]] = [
      .softDevice: [first, 0, 0], .bootloader: [0, first, 0],
      .softDeviceAndBootloader: [first, firmware.count - first, 0],
    ]
    for (field, size) in (sizes[kind] ?? [0, 0, first]).enumerated() {
      application += number(UInt8(5 + field), UInt64(size))
    }
    application += content(8, hash)
    application += number(9, 0)
    var command = number(1, 1)
    command += content(2, application)
    var signed = content(1, command)
    signed += number(2, 0)
    signed += content(3, code(64, seed: version))
    return content(2, signed)
  }

  /// Returns an init packet of Legacy DFU for an application.
  package static func legacyInit(for firmware: [UInt8], version: UInt32) -> [UInt8] {
    let checksum = Int(LegacyChecksum.of(firmware))
    // The kind and the revision of the device, the version, and one SoftDevice: any.
    let fields = [(0x52, 2), (0xffff, 2), (Int(version), 4), (1, 2), (0xfffe, 2), (checksum, 2)]
    return fields.flatMap { little($0.0, $0.1) }
  }

  private static func little(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Returns a field of a protobuf that is a number.
  private static func number(_ field: UInt8, _ value: UInt64) -> [UInt8] { [field << 3] + varint(value) }

  /// Returns a field of a protobuf that is bytes.
  private static func content(_ field: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [field << 3 | 2] + varint(UInt64(bytes.count)) + bytes
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}

/// The CRC-16 of init packets of Legacy DFU.
package enum LegacyChecksum {
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0xffff) { crc, byte in
      var crc = crc >> 8 | crc << 8
      crc ^= UInt16(byte)
      crc ^= (crc & 0xff) >> 4
      crc ^= crc << 12
      crc ^= (crc & 0xff) << 5
      return crc
    }
  }
}
