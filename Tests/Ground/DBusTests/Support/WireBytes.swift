// SPDX-License-Identifier: MIT
import DBus

/// Marshals values by the letter of the D-Bus specification, in either byte order: what the reader is measured against.
///
/// It shares nothing with the sources, not even the letters of the types.
struct WireBytes {
  private(set) var bytes: [UInt8] = []
  let isBigEndian: Bool

  init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

  init(_ values: [DBusValue], isBigEndian: Bool = false) {
    self.init(isBigEndian: isBigEndian)
    for value in values { append(value) }
  }

  mutating func align(_ alignment: Int) {
    while bytes.count % alignment != 0 { bytes.append(0) }
  }

  mutating func integer<Integer: FixedWidthInteger>(_ value: Integer) {
    align(MemoryLayout<Integer>.size)
    bytes += encoded(value)
  }

  mutating func text(_ text: String) {
    integer(UInt32(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  mutating func signature(_ signature: String) {
    bytes += [UInt8(signature.utf8.count)] + signature.utf8 + [0]
  }

  mutating func append(_ value: DBusValue) {
    switch value {
    case .byte(let value): integer(value)
    case .boolean(let value): integer(UInt32(value ? 1 : 0))
    case .int16(let value): integer(value)
    case .uint16(let value): integer(value)
    case .int32(let value): integer(value)
    case .uint32(let value): integer(value)
    case .int64(let value): integer(value)
    case .uint64(let value): integer(value)
    case .double(let value): integer(value.bitPattern)
    case .string(let value), .objectPath(let value): text(value)
    case .signature(let value): signature(value)
    case .descriptor: integer(UInt32(0))
    case .bytes(let value): array(of: "y") { $0.bytes += value }
    case .array(let element, let elements):
      array(of: element) { wire in
        for element in elements { wire.append(element) }
      }
    case .dictionary(_, _, let entries):
      array(of: "{") { wire in
        for entry in entries {
          wire.align(8)
          wire.append(entry.key)
          wire.append(entry.value)
        }
      }
    case .structure(let fields):
      align(8)
      for field in fields { append(field) }
    case .variant(let inner):
      signature(inner.typeSignature)
      append(inner)
    }
  }

  /// The length counts neither itself nor the padding before the first element.
  mutating func array(of element: String, _ body: (inout WireBytes) -> Void) {
    integer(UInt32(0))
    let lengthAt = bytes.count - 4
    switch element.first {
    case "x", "t", "d", "(", "{": align(8)
    case "n", "q": align(2)
    case "y", "g", "v": break
    default: align(4)
    }
    let start = bytes.count
    body(&self)
    bytes.replaceSubrange(lengthAt..<lengthAt + 4, with: encoded(UInt32(bytes.count - start)))
  }

  private func encoded(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
  }
}
