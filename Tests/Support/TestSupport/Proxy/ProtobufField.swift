// SPDX-License-Identifier: MIT

/// A field of a message in Protocol Buffers, for tests of what reads and writes them.
package enum ProtobufField: Sendable, Hashable {
  case number(UInt64, UInt64)
  case data(UInt64, [UInt8])
  case fixed32(UInt64, [UInt8])
  case fixed64(UInt64, [UInt8])

  package static func text(_ field: UInt64, _ text: String) -> Self { .data(field, Array(text.utf8)) }

  /// A message in a message.
  package static func message(_ field: UInt64, _ fields: ProtobufField...) -> Self {
    .data(field, encode(fields))
  }

  package static func encode(_ fields: [ProtobufField]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      switch field {
      case .number(let field, let value): bytes += varint(field << 3) + varint(value)
      case .data(let field, let data): bytes += varint(field << 3 | 2) + varint(UInt64(data.count)) + data
      case .fixed32(let field, let data): bytes += varint(field << 3 | 5) + data
      case .fixed64(let field, let data): bytes += varint(field << 3 | 1) + data
      }
    }
    return bytes
  }

  /// The fields of a message; nil unless the bytes are one.
  package static func decode(_ bytes: [UInt8]) -> [ProtobufField]? {
    var (rest, fields): (ArraySlice<UInt8>, [ProtobufField]) = (bytes[...], [])
    while !rest.isEmpty {
      guard let key = takeVarint(&rest) else { return nil }
      switch key & 7 {
      case 0:
        guard let value = takeVarint(&rest) else { return nil }
        fields.append(.number(key >> 3, value))
      case 2:
        guard let count = takeVarint(&rest), count <= rest.count else { return nil }
        fields.append(.data(key >> 3, Array(rest.prefix(Int(count)))))
        rest = rest.dropFirst(Int(count))
      default: return nil
      }
    }
    return fields
  }

  package static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
  }

  private static func takeVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var (value, place): (UInt64, UInt64) = (0, 0)
    while let byte = rest.popFirst(), place < 64 {
      value |= UInt64(byte & 0x7f) << place
      if byte < 0x80 { return value }
      place += 7
    }
    return nil
  }
}
