// SPDX-License-Identifier: MIT

/// Marshals the header of an outgoing message, then joins header and body.
struct HeaderWriter {
  private var bytes: [UInt8] = []

  /// Little-endian, like all outgoing messages; lengths and serial number are filled in later.
  init(kind: UInt8, flags: UInt8) {
    bytes.reserveCapacity(256)
    bytes += [UInt8(ascii: "l"), kind, flags, 1]
    bytes.append(contentsOf: repeatElement(0, count: MessageHeader.fixedSize - 4))
  }

  private mutating func begin(_ field: UInt8, _ type: StaticString) {
    while bytes.count % 8 != 0 { bytes.append(0) }
    bytes.append(field)
    bytes.append(1)
    bytes.append(type.utf8Start.pointee)
    bytes.append(0)
  }

  /// Writes a field with a string, an object path, or a signature.
  mutating func text(_ field: UInt8, _ type: StaticString, _ text: String) {
    begin(field, type)
    integer(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  mutating func number(_ field: UInt8, _ number: UInt32) {
    begin(field, "u")
    integer(number)
  }

  private mutating func integer(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func store(_ value: Int, at offset: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { value in
      for (index, byte) in value.enumerated() { bytes[offset + index] = byte }
    }
  }

  /// Returns the complete message.
  mutating func finish(_ body: MessageWriter) -> ByteBlock {
    if !body.signature.isEmpty {
      begin(MessageHeader.Field.signature, "g")
      bytes.append(UInt8(body.signature.count))
      bytes.append(contentsOf: body.signature)
      bytes.append(0)
    }
    if !body.descriptors.isEmpty {
      number(MessageHeader.Field.descriptorCount, UInt32(body.descriptors.count))
    }
    store(body.bytes.count, at: 4)
    store(bytes.count - MessageHeader.fixedSize, at: 12)
    while bytes.count % 8 != 0 { bytes.append(0) }
    let block = ByteBlock(capacity: bytes.count + body.bytes.count)
    let whole = UnsafeMutableRawBufferPointer(start: block.base, count: block.capacity)
    whole.copyBytes(from: bytes)
    UnsafeMutableRawBufferPointer(rebasing: whole[bytes.count...]).copyBytes(from: body.bytes)
    return block
  }
}
