// SPDX-License-Identifier: MIT

/// Writes the fields of a message in Protocol Buffers.
///
/// Zero, false and empty are the same as what is missing, and left out.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func varint(_ value: UInt64) {
    var value = value
    while value > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  private mutating func key(_ field: UInt64, _ type: UInt64) { varint(field << 3 | type) }

  mutating func number(_ field: UInt64, _ value: some BinaryInteger) {
    if value != 0 { element(field, UInt64(truncatingIfNeeded: value)) }
  }

  /// Writes an element of a repeated number, even if it is zero.
  mutating func element(_ field: UInt64, _ value: UInt64) {
    key(field, 0)
    varint(value)
  }

  mutating func bool(_ field: UInt64, _ value: Bool) { number(field, value ? 1 : 0) }

  /// Writes an `int32`, which takes ten bytes if it is negative.
  mutating func signed(_ field: UInt64, _ value: Int32) { number(field, Int64(value)) }

  /// Writes an `sint32`: small negative numbers are short, too.
  mutating func zigzag(_ field: UInt64, _ value: Int32) {
    number(field, UInt32(bitPattern: value << 1 ^ value >> 31))
  }

  mutating func data(_ field: UInt64, _ value: some Collection<UInt8>) {
    if !value.isEmpty { message(field, value) }
  }

  mutating func string(_ field: UInt64, _ value: String) { data(field, value.utf8) }

  /// Writes an element of repeated messages or bytes, even if it is empty.
  mutating func message(_ field: UInt64, _ value: some Collection<UInt8>) {
    key(field, 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }
}
