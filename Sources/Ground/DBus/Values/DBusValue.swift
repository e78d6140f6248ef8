// SPDX-License-Identifier: MIT

/// Any D-Bus value, for generic code; hot paths use ``WireReader``.
///
/// Arrays and dictionaries contain the signature of their elements, so that empty ones keep their type.
/// Dictionaries keep their order.
package indirect enum DBusValue: Sendable, Hashable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  /// A descriptor, which ``MessageWriter`` duplicates. ``WireReader`` does not read it back.
  case descriptor(Int32)
  /// An `ay`.
  case bytes([UInt8])
  case array(of: String, [DBusValue])
  case dictionary(key: String, value: String, [Entry])
  case structure([DBusValue])
  case variant(DBusValue)

  /// One pair of a dictionary.
  package struct Entry: Sendable, Hashable {
    package var key: DBusValue
    package var value: DBusValue
    package init(_ key: DBusValue, _ value: DBusValue) {
      self.key = key
      self.value = value
    }
  }

  /// An `as`.
  package static func strings(_ strings: [String]) -> DBusValue {
    .array(of: "s", strings.map { .string($0) })
  }

  /// An `ao`.
  package static func objectPaths(_ paths: [String]) -> DBusValue {
    .array(of: "o", paths.map { .objectPath($0) })
  }

  /// An `a{sv}`, in the order given.
  package static func properties(_ pairs: [(String, DBusValue)]) -> DBusValue {
    .dictionary(key: "s", value: "v", pairs.map { Entry(.string($0.0), .variant($0.1)) })
  }

  /// The value's D-Bus signature.
  package var typeSignature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{" + key + value + "}"
    case .structure(let fields): "(" + fields.map(\.typeSignature).joined() + ")"
    case .variant: "v"
    }
  }
}

extension DBusValue {
  /// The text of a string, object path or signature.
  package var text: String? {
    switch self {
    case .string(let text), .objectPath(let text), .signature(let text): text
    default: nil
    }
  }

  /// The content of a variant; any other value itself.
  package var unwrapped: DBusValue {
    if case .variant(let inner) = self { inner.unwrapped } else { self }
  }

  /// The value of a string key in a dictionary, without its variant.
  package subscript(key: String) -> DBusValue? {
    guard case .dictionary(_, _, let entries) = self else { return nil }
    return entries.first { $0.key.text == key }?.value.unwrapped
  }
}
