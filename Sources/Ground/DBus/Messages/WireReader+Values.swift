// SPDX-License-Identifier: MIT

extension WireReader {
  /// Reads all values of `signature`; returns nil if the bytes do not match it.
  package mutating func values(_ signature: String) -> [DBusValue]? {
    var signature = signature
    return signature.withUTF8 { utf8 in
      let raw = UnsafeRawBufferPointer(utf8)
      var index = 0
      var values: [DBusValue] = []
      while index < raw.count {
        guard let value = value(raw, &index, depth: 0) else { return nil }
        values.append(value)
      }
      return values
    }
  }

  /// Reads the content of a variant after its signature.
  package mutating func value(_ signature: WireText) -> DBusValue? {
    var index = 0
    return value(signature.utf8, &index, depth: 0)
  }

  private mutating func value(
    _ signature: UnsafeRawBufferPointer, _ index: inout Int, depth: Int
  ) -> DBusValue? {
    guard index < signature.count, depth <= SignatureScanner.maximumDepth else { return nil }
    let code = signature[index]
    index += 1
    let value: DBusValue?
    switch code {
    case TypeCode.byte: value = .byte(byte())
    case TypeCode.boolean: value = .boolean(boolean())
    case TypeCode.int16: value = .int16(int16())
    case TypeCode.uint16: value = .uint16(uint16())
    case TypeCode.int32: value = .int32(int32())
    case TypeCode.uint32: value = .uint32(uint32())
    case TypeCode.int64: value = .int64(int64())
    case TypeCode.uint64: value = .uint64(uint64())
    case TypeCode.double: value = .double(double())
    case TypeCode.string: value = .string(text().string)
    case TypeCode.objectPath: value = .objectPath(text().string)
    case TypeCode.signature: value = .signature(self.signature().string)
    // The body contains an index into the message's descriptors, which is meaningless without them.
    case TypeCode.descriptor: _ = int32(); value = .descriptor(-1)
    case TypeCode.variant:
      let inner = self.signature()
      var innerIndex = 0
      value = self.value(inner.utf8, &innerIndex, depth: depth + 1).map { .variant($0) }
    case TypeCode.array: value = array(signature, &index, depth: depth)
    case TypeCode.structBegin:
      align(8)
      value = fields(signature, &index, until: TypeCode.structEnd, depth: depth).map { .structure($0) }
    default: value = nil
    }
    return isMalformed ? nil : value
  }

  private mutating func array(
    _ signature: UnsafeRawBufferPointer, _ index: inout Int, depth: Int
  ) -> DBusValue? {
    let start = index
    guard start < signature.count, let element = SignatureScanner.takeOne(signature, &index) else {
      return nil
    }
    let code = signature[start]
    if code == TypeCode.byte { return .bytes(bytes()) }
    var elements: [DBusValue] = []
    var entries: [DBusValue.Entry] = []
    var isComplete = true
    forEachElement(startingWith: code) { reader in
      var elementIndex = start
      if code == TypeCode.entryBegin {
        elementIndex += 1
        let pair = reader.fields(signature, &elementIndex, until: TypeCode.entryEnd, depth: depth)
        if let pair, pair.count == 2 { entries.append(.init(pair[0], pair[1])) } else { isComplete = false }
      } else if let value = reader.value(signature, &elementIndex, depth: depth + 1) {
        elements.append(value)
      } else {
        isComplete = false
      }
    }
    guard isComplete, !isMalformed else { return nil }
    guard code == TypeCode.entryBegin else { return .array(of: element, elements) }
    return .dictionary(
      key: String(element.dropFirst().prefix(1)), value: String(element.dropFirst(2).dropLast()), entries)
  }

  private mutating func fields(
    _ signature: UnsafeRawBufferPointer, _ index: inout Int, until close: UInt8, depth: Int
  ) -> [DBusValue]? {
    var fields: [DBusValue] = []
    while index < signature.count, signature[index] != close {
      guard let field = value(signature, &index, depth: depth + 1) else { return nil }
      fields.append(field)
    }
    guard index < signature.count else { return nil }
    index += 1
    return fields
  }
}
