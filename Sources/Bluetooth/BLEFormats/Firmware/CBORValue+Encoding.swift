// SPDX-License-Identifier: MIT

extension CBORValue {
  /// The bytes of the value: each number and length in its shortest form, each length known in advance.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .unsigned(let number): Self.head(.unsigned, number, &bytes)
    case .negative(let number): Self.head(.negative, number, &bytes)
    case .bytes(let content):
      Self.head(.bytes, UInt64(content.count), &bytes)
      bytes += content
    case .text(let text):
      Self.head(.text, UInt64(text.utf8.count), &bytes)
      bytes += text.utf8
    case .array(let elements):
      Self.head(.array, UInt64(elements.count), &bytes)
      for element in elements { element.write(to: &bytes) }
    case .map(let map):
      Self.head(.map, UInt64(map.entries.count), &bytes)
      for (key, value) in map.entries {
        key.write(to: &bytes)
        value.write(to: &bytes)
      }
    case .tagged(let tag, let value):
      Self.head(.tag, tag, &bytes)
      value.write(to: &bytes)
    // Not `append`, which writes a literal as decimal digits.
    case .bool(let isTrue): bytes += [isTrue ? 0xf5 : 0xf4]
    case .null: bytes += [0xf6]
    case .undefined: bytes += [0xf7]
    case .float(let number): Self.write(number, to: &bytes)
    }
  }

  /// Writes the kind of an item, and its number or length.
  private static func head(_ kind: CBORKind, _ number: UInt64, _ bytes: inout [UInt8]) {
    let top = kind.rawValue << 5
    switch number {
    case 0...23: bytes.append(top | UInt8(number))
    case 24...0xff: bytes += [top | 24, UInt8(number)]
    case 0x100...0xffff: bytes += [top | 25] + UInt16(number).bigEndianBytes
    case 0x1_0000...0xffff_ffff: bytes += [top | 26] + UInt32(number).bigEndianBytes
    default: bytes += [top | 27] + number.bigEndianBytes
    }
  }

  /// Writes a number in the fewest bytes that hold it exactly.
  private static func write(_ number: Double, to bytes: inout [UInt8]) {
    if number.isNaN {
      bytes += [0xf9, 0x7e, 0x00]
    } else if Double(Float16(number)) == number {
      bytes += [0xf9] + Float16(number).bitPattern.bigEndianBytes
    } else if Double(Float(number)) == number {
      bytes += [0xfa] + Float(number).bitPattern.bigEndianBytes
    } else {
      bytes += [0xfb] + number.bitPattern.bigEndianBytes
    }
  }
}

/// The kinds of items, in the upper three bits of their first byte.
enum CBORKind: UInt8 {
  case unsigned
  case negative
  case bytes
  case text
  case array
  case map
  case tag
  /// A word such as `true`, or a number with a fraction.
  case simple
}
