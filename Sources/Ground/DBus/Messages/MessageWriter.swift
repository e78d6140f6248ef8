// SPDX-License-Identifier: MIT
package import AsyncIO

package struct MessageWriter {
  /// The body so far, little-endian.
  private(set) var bytes: [UInt8] = []
  /// The signature of the body so far.
  private(set) var signature: [UInt8] = []
  /// Duplicates of the descriptors that the body counts.
  private(set) var descriptors: [SharedDescriptor] = []
  /// True to add values to the signature: not within arrays and variants, which have their own.
  private var isAnnouncing = true

  init() {}

  // MARK: Basic values

  private mutating func announce(_ code: UInt8) {
    if isAnnouncing { signature.append(code) }
  }

  private mutating func align(_ alignment: Int) {
    while bytes.count % alignment != 0 { bytes.append(0) }
  }

  private mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    align(MemoryLayout<Value>.size)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func basic(_ code: UInt8, _ value: some FixedWidthInteger & BitwiseCopyable) {
    announce(code)
    append(value)
  }

  private mutating func text(_ code: UInt8, _ text: String) {
    announce(code)
    let utf8 = text.utf8.prefix { $0 != 0 }
    append(UInt32(utf8.count))
    bytes.append(contentsOf: utf8)
    bytes.append(0)
  }

  package mutating func byte(_ value: UInt8) { basic(TypeCode.byte, value) }
  package mutating func boolean(_ value: Bool) { basic(TypeCode.boolean, UInt32(value ? 1 : 0)) }
  package mutating func int16(_ value: Int16) { basic(TypeCode.int16, value) }
  package mutating func uint16(_ value: UInt16) { basic(TypeCode.uint16, value) }
  package mutating func int32(_ value: Int32) { basic(TypeCode.int32, value) }
  package mutating func uint32(_ value: UInt32) { basic(TypeCode.uint32, value) }
  package mutating func int64(_ value: Int64) { basic(TypeCode.int64, value) }
  package mutating func uint64(_ value: UInt64) { basic(TypeCode.uint64, value) }
  package mutating func double(_ value: Double) { basic(TypeCode.double, value.bitPattern) }
  /// Truncates the text at a NUL, which D-Bus cannot represent.
  package mutating func string(_ value: String) { text(TypeCode.string, value) }
  package mutating func objectPath(_ value: String) { text(TypeCode.objectPath, value) }

  package mutating func signature(_ value: String) {
    announce(TypeCode.signature)
    bareSignature(value)
  }

  private mutating func bareSignature(_ value: String) {
    precondition(value.utf8.count < 256, "a signature that is too long for D-Bus")
    bytes.append(UInt8(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
    bytes.append(0)
  }

  /// Writes a duplicate of a descriptor, which the caller still owns.
  package mutating func descriptor(_ value: Int32) {
    guard let copy = SharedDescriptor(duplicating: value) else {
      preconditionFailure("not a descriptor, or no room for another")
    }
    add(copy)
  }

  /// Writes a descriptor, which is closed with the message.
  package mutating func descriptor(adopting value: consuming OwnedDescriptor) {
    add(SharedDescriptor(adopting: value.release()))
  }

  private mutating func add(_ descriptor: SharedDescriptor) {
    basic(TypeCode.descriptor, UInt32(descriptors.count))
    descriptors.append(descriptor)
  }

  package mutating func bytes(_ value: [UInt8]) {
    announce(TypeCode.array)
    announce(TypeCode.byte)
    append(UInt32(value.count))
    bytes.append(contentsOf: value)
  }

  // MARK: Containers

  /// Appends a variant, which contains its own signature.
  private mutating func quietly(_ body: (inout MessageWriter) -> Void) {
    let before = isAnnouncing
    isAnnouncing = false
    body(&self)
    isAnnouncing = before
  }

  package mutating func array(of element: String, _ body: (inout MessageWriter) -> Void) {
    announce(TypeCode.array)
    if isAnnouncing { signature.append(contentsOf: element.utf8) }
    append(UInt32(0))
    let lengthOffset = bytes.count - 4
    align(TypeCode.alignment(of: element.utf8.first ?? TypeCode.byte))
    let start = bytes.count
    quietly(body)
    let length = UInt32(truncatingIfNeeded: bytes.count - start)
    for index in 0..<4 { bytes[lengthOffset + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
  }

  /// Writes an entry within an array of `{…}`.
  package mutating func entry(_ body: (inout MessageWriter) -> Void) {
    align(8)
    body(&self)
  }

  package mutating func structure(_ body: (inout MessageWriter) -> Void) {
    announce(TypeCode.structBegin)
    align(8)
    body(&self)
    announce(TypeCode.structEnd)
  }

  package mutating func variant(_ signature: String, _ body: (inout MessageWriter) -> Void) {
    announce(TypeCode.variant)
    bareSignature(signature)
    quietly(body)
  }

  /// Writes a pair of an `a{sv}`.
  package mutating func property(_ key: String, _ value: DBusValue) {
    entry { writer in
      writer.string(key)
      writer.value(.variant(value))
    }
  }

  /// Writes an `a{sv}`.
  package mutating func properties(_ pairs: [(String, DBusValue)]) {
    array(of: "{sv}") { writer in
      for (key, value) in pairs { writer.property(key, value) }
    }
  }

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
