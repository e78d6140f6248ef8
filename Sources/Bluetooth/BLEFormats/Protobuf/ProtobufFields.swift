// SPDX-License-Identifier: MIT

/// The fields of a message in Protocol Buffers that has no repeated ones.
///
/// As proto3 has it, a field that is missing, or has another type, is zero or empty. Where a message tells a missing field
/// from an empty one, `numberIfPresent`, `dataIfPresent` and `message` return nil.
package struct ProtobufFields {
  /// No message that is read here has a field of a higher number that counts.
  private static let limit = 16

  private var numbers = [UInt64?](repeating: nil, count: limit)
  private var texts = [ArraySlice<UInt8>?](repeating: nil, count: limit)

  package init(_ bytes: ArraySlice<UInt8>) throws(MalformedMessage) {
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

  package func number(_ field: Int) -> UInt64 { numbers[field] ?? 0 }

  /// A number of 32 bits: higher ones are cut off.
  package func number32(_ field: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(field)) }

  package func bool(_ field: Int) -> Bool { number(field) != 0 }

  package func data(_ field: Int) -> ArraySlice<UInt8> { texts[field] ?? [] }

  /// A text, with invalid UTF-8 replaced.
  package func string(_ field: Int) -> String { String(decoding: data(field), as: UTF8.self) }

  package func numberIfPresent(_ field: Int) -> UInt64? { numbers[field] }

  package func dataIfPresent(_ field: Int) -> ArraySlice<UInt8>? { texts[field] }

  /// A message in the message; nil if the field is missing or malformed.
  package func message(_ field: Int) -> ProtobufFields? {
    texts[field].flatMap { bytes in try? ProtobufFields(bytes) }
  }
}
