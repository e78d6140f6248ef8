// SPDX-License-Identifier: MIT

/// A value of CBOR, the binary form of JSON (RFC 8949), which the messages of SMP carry.
package enum CBORValue: Sendable, Equatable {
  /// A number from 0 on.
  case unsigned(UInt64)
  /// A negative number: -1 minus this one.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map(CBORMap)
  /// A value with a number that says how it is meant, such as a time.
  indirect case tagged(UInt64, CBORValue)
  case bool(Bool)
  case null
  case undefined
  case float(Double)

  /// Creates a number.
  package init(_ int: Int) {
    self = int < 0 ? .negative(UInt64(bitPattern: Int64(~int))) : .unsigned(UInt64(int))
  }

  /// The number, unless this is something else, or too large.
  package var int: Int? {
    switch self {
    case .unsigned(let number): Int(exactly: number)
    case .negative(let number): Int(exactly: number).map { ~$0 }
    default: nil
    }
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  package var array: [CBORValue]? { if case .array(let array) = self { array } else { nil } }
  package var map: CBORMap? { if case .map(let map) = self { map } else { nil } }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(integerLiteral value: Int) { self.init(value) }
  package init(stringLiteral value: String) { self = .text(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
    self = .map(CBORMap(entries: elements))
  }
}
