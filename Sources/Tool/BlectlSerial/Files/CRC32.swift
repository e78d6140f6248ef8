// SPDX-License-Identifier: MIT

/// The CRC-32 of zlib, Ethernet and ZIP files.
package enum CRC32 {
  /// The change that each byte makes: the remainders of the polynomial 0x04c11db7, least significant bit
  /// first.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0xedb8_8320 : 0) }
  }

  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(.max) { rest, byte in rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
  }
}
