// SPDX-License-Identifier: MIT

/// The CRC-32 of bytes that come in parts, or of a prefix that is continued.
package struct CRC32: Sendable, Hashable {
  /// The CRC-32 of all bytes so far.
  package private(set) var value: UInt32 = 0

  package init() {}

  /// Continues behind bytes with a known CRC-32.
  package init(of before: UInt32) { value = before }

  /// Returns the CRC-32 of bytes.
  package static func of(_ bytes: [UInt8]) -> UInt32 { CyclicChecksum.crc32.of(bytes) }

  package mutating func update(_ bytes: [UInt8]) { update(bytes[...]) }

  /// Not generic: a caller in another module would use the unspecialised code.
  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    // The state is the complement of the value.
    value = ~CyclicChecksum.crc32.advance(~value, over: bytes)
  }
}

/// The CRC-16 that an init packet of Legacy DFU has of the firmware: CCITT, from ffff on.
package enum CRC16 {
  /// Returns the CRC-16 of bytes.
  package static func of(_ bytes: [UInt8]) -> UInt16 {
    UInt16(truncatingIfNeeded: CyclicChecksum.ccitt.of(bytes))
  }
}
