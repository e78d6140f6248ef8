// SPDX-License-Identifier: MIT

/// The bytes of a message are not those of any message, or not of one of its type.
package struct MalformedMessage: Error {
  package init() {}
}

/// Takes the fields of a message in Protocol Buffers from its front, never beyond its end.
package struct ProtobufReader {
  package enum Value {
    /// A varint, whatever it stands for.
    case number(UInt64)
    /// A string, bytes, a message, or packed numbers.
    case data(ArraySlice<UInt8>)
    /// A number of a fixed size, which no message here has.
    case fixed
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Takes the next field; returns nil at the end.
  package mutating func next() throws(MalformedMessage) -> (field: UInt64, value: Value)? {
    if rest.isEmpty { return nil }
    let key = try varint()
    guard key >> 3 != 0, key >> 3 < 1 << 29 else { throw MalformedMessage() }
    switch key & 7 {
    case 0: return (key >> 3, .number(try varint()))
    case 1: _ = try take(8)
    case 2: return (key >> 3, .data(try take(try varint())))
    case 5: _ = try take(4)
    // Groups, which proto3 does not have, and nothing.
    default: throw MalformedMessage()
    }
    return (key >> 3, .fixed)
  }

  /// Returns the numbers of a field that has them one behind the other.
  static func packedNumbers(_ bytes: ArraySlice<UInt8>) throws(MalformedMessage) -> [UInt64] {
    var (reader, numbers) = (ProtobufReader(bytes), [UInt64]())
    while !reader.rest.isEmpty { numbers.append(try reader.varint()) }
    return numbers
  }

  private mutating func varint() throws(MalformedMessage) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<10 {
      guard let byte = rest.popFirst() else { break }
      if place == 9, byte > 1 { break }
      value |= UInt64(byte & 0x7f) << (7 * place)
      if byte & 0x80 == 0 { return value }
    }
    throw MalformedMessage()
  }

  private mutating func take(_ count: UInt64) throws(MalformedMessage) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw MalformedMessage() }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }
}
