// SPDX-License-Identifier: MIT
internal import CDBus

/// Appends values to the body of a message.
package struct MessageWriter {
  private var iterator = DBusMessageIter()

  init(_ message: OpaquePointer) { dbus_message_iter_init_append(message, &iterator) }

  private init() {}

  // MARK: Basic values

  private mutating func basic(_ code: UInt8, _ value: some BitwiseCopyable) {
    var value = value
    precondition(
      dbus_message_iter_append_basic(&iterator, Int32(code), &value) != 0, "no memory for a message")
  }

  private mutating func text(_ code: UInt8, _ text: String) { text.withCString { basic(code, $0) } }

  package mutating func byte(_ value: UInt8) { basic(TypeCode.byte, value) }
  package mutating func boolean(_ value: Bool) { basic(TypeCode.boolean, UInt32(value ? 1 : 0)) }
  package mutating func int16(_ value: Int16) { basic(TypeCode.int16, value) }
  package mutating func uint16(_ value: UInt16) { basic(TypeCode.uint16, value) }
  package mutating func int32(_ value: Int32) { basic(TypeCode.int32, value) }
  package mutating func uint32(_ value: UInt32) { basic(TypeCode.uint32, value) }
  package mutating func int64(_ value: Int64) { basic(TypeCode.int64, value) }
  package mutating func uint64(_ value: UInt64) { basic(TypeCode.uint64, value) }
  package mutating func double(_ value: Double) { basic(TypeCode.double, value) }
  /// The text is cut at a NUL, which D-Bus cannot carry.
  package mutating func string(_ value: String) { text(TypeCode.string, value) }
  package mutating func objectPath(_ value: String) { text(TypeCode.objectPath, value) }
  package mutating func signature(_ value: String) { text(TypeCode.signature, value) }
  /// The descriptor is duplicated: the caller keeps its own.
  package mutating func descriptor(_ value: Int32) { basic(TypeCode.descriptor, value) }

  /// An `ay`.
  package mutating func bytes(_ bytes: [UInt8]) {
    container(TypeCode.array, "y") { writer in
      bytes.withUnsafeBufferPointer { buffer in
        guard var base = buffer.baseAddress else { return }
        _ = dbus_message_iter_append_fixed_array(
          &writer.iterator, Int32(TypeCode.byte), &base, Int32(buffer.count))
      }
    }
  }

  // MARK: Containers

  private mutating func container(_ code: UInt8, _ contained: String?, _ body: (inout MessageWriter) -> Void)
  {
    var inner = MessageWriter()
    precondition(
      dbus_message_iter_open_container(&iterator, Int32(code), contained, &inner.iterator) != 0,
      "not a valid signature, or no memory for a message")
    body(&inner)
    dbus_message_iter_close_container(&iterator, &inner.iterator)
  }

  package mutating func array(of element: String, _ body: (inout MessageWriter) -> Void) {
    container(TypeCode.array, element, body)
  }

  /// One entry, within an array of `{…}`.
  package mutating func entry(_ body: (inout MessageWriter) -> Void) {
    container(TypeCode.dictionaryEntry, nil, body)
  }

  package mutating func structure(_ body: (inout MessageWriter) -> Void) {
    container(TypeCode.structure, nil, body)
  }

  package mutating func variant(_ signature: String, _ body: (inout MessageWriter) -> Void) {
    container(TypeCode.variant, signature, body)
  }

  /// One pair of an `a{sv}`.
  package mutating func property(_ key: String, _ value: DBusValue) {
    entry { writer in
      writer.string(key)
      writer.value(.variant(value))
    }
  }

  /// An `a{sv}`.
  package mutating func properties(_ pairs: [(String, DBusValue)]) {
    array(of: "{sv}") { writer in
      for (key, value) in pairs { writer.property(key, value) }
    }
  }

  /// Any value.
  package mutating func value(_ value: DBusValue) {
    switch value {
    case .byte(let value): byte(value)
    case .boolean(let value): boolean(value)
    case .int16(let value): int16(value)
    case .uint16(let value): uint16(value)
    case .int32(let value): int32(value)
    case .uint32(let value): uint32(value)
    case .int64(let value): int64(value)
    case .uint64(let value): uint64(value)
    case .double(let value): double(value)
    case .string(let value): string(value)
    case .objectPath(let value): objectPath(value)
    case .signature(let value): signature(value)
    case .descriptor(let value): descriptor(value)
    case .bytes(let value): bytes(value)
    case .array(let element, let elements):
      array(of: element) { writer in
        for element in elements { writer.value(element) }
      }
    case .dictionary(let key, let value, let entries):
      array(of: "{" + key + value + "}") { writer in
        for pair in entries {
          writer.entry {
            $0.value(pair.key)
            $0.value(pair.value)
          }
        }
      }
    case .structure(let fields):
      structure { writer in
        for field in fields { writer.value(field) }
      }
    case .variant(let inner):
      variant(inner.typeSignature) { $0.value(inner) }
    }
  }
}
