// SPDX-License-Identifier: MIT

/// The bytes of a message are not those of any message, or not of one of its type.
struct MalformedMessage: Error {}

/// Takes the fields of a message in Protocol Buffers from its front, never beyond its end.
struct ProtobufReader {
  enum Value {
    /// A varint, whatever it stands for.
    case number(UInt64)
    /// A string, bytes, a message, or packed numbers.
    case data(ArraySlice<UInt8>)
    /// A number of a fixed size, which no message here has.
    case fixed
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Takes the next field; returns nil at the end.
  mutating func next() throws(MalformedMessage) -> (field: UInt64, value: Value)? {
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

/// The fields of a message that has no repeated ones.
///
/// What is missing, or of another type, is zero or empty.
struct ProtobufFields {
  /// No message of a client has a field of a higher number that counts.
  private static let limit = 16

  private var numbers = [UInt64](repeating: 0, count: limit)
  private var texts = [ArraySlice<UInt8>](repeating: [], count: limit)

  init(_ bytes: ArraySlice<UInt8>) throws(MalformedMessage) {
    var reader = ProtobufReader(bytes)
    while let (field, value) = try reader.next() {
      // As always in Protocol Buffers: the last one counts, and unknown ones do not.
      guard field < Self.limit else { continue }
      switch value {
      case .number(let number): numbers[Int(field)] = number
      case .data(let data): texts[Int(field)] = data
      case .fixed: break
      }
    }
  }

  func number(_ field: Int) -> UInt64 { numbers[field] }

  /// A number of 32 bits: higher ones are cut off.
  func number32(_ field: Int) -> UInt32 { UInt32(truncatingIfNeeded: numbers[field]) }

  func bool(_ field: Int) -> Bool { numbers[field] != 0 }

  func data(_ field: Int) -> ArraySlice<UInt8> { texts[field] }

  /// A text, with invalid UTF-8 replaced.
  func string(_ field: Int) -> String { String(decoding: texts[field], as: UTF8.self) }
}
