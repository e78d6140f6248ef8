// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import DBus

enum PropertyOutcome {
  case applied
  case ignored
  /// Its type is not the documented one: skipped.
  case wrongType
}

/// Readers of one property's value, which they skip if its signature is not the expected one.
extension WireReader {
  mutating func string(_ signature: WireText, into target: inout String) -> PropertyOutcome {
    guard signature == "s" || signature == "o" else { return .wrongType }
    target = text().string
    return .applied
  }

  mutating func string(_ signature: WireText, into target: inout String?) -> PropertyOutcome {
    guard signature == "s" || signature == "o" else { return .wrongType }
    target = text().string
    return .applied
  }

  mutating func boolean(_ signature: WireText, into target: inout Bool) -> PropertyOutcome {
    guard signature == "b" else { return .wrongType }
    target = boolean()
    return .applied
  }

  mutating func int16(_ signature: WireText, into target: inout Int16?) -> PropertyOutcome {
    guard signature == "n" else { return .wrongType }
    target = int16()
    return .applied
  }

  mutating func uint16(_ signature: WireText, into target: inout UInt16?) -> PropertyOutcome {
    guard signature == "q" else { return .wrongType }
    target = uint16()
    return .applied
  }

  mutating func uint32(_ signature: WireText, into target: inout UInt32?) -> PropertyOutcome {
    guard signature == "u" else { return .wrongType }
    target = uint32()
    return .applied
  }

  mutating func byte(_ signature: WireText, into target: inout UInt8?) -> PropertyOutcome {
    guard signature == "y" else { return .wrongType }
    target = byte()
    return .applied
  }

  mutating func bytes(_ signature: WireText, into target: inout [UInt8]?) -> PropertyOutcome {
    guard signature == "ay" else { return .wrongType }
    target = bytes()
    return .applied
  }

  mutating func strings(_ signature: WireText, into target: inout [String]) -> PropertyOutcome {
    guard signature == "as" || signature == "ao" else { return .wrongType }
    var strings: [String] = []
    forEachElement(startingWith: TypeCode.string) { strings.append($0.text().string) }
    target = strings
    return .applied
  }

  /// Reads UUIDs, and omits invalid ones.
  mutating func uuids(_ signature: WireText, into target: inout [BluetoothUUID]) -> PropertyOutcome {
    guard signature == "as" else { return .wrongType }
    var uuids: [BluetoothUUID] = []
    forEachElement(startingWith: TypeCode.string) { reader in
      if let uuid = BluetoothUUID(utf8: reader.text().utf8) { uuids.append(uuid) }
    }
    target = uuids
    return .applied
  }

  mutating func uuid(_ signature: WireText, into target: inout BluetoothUUID?) -> PropertyOutcome {
    guard signature == "s" else { return .wrongType }
    target = BluetoothUUID(utf8: text().utf8)
    return .applied
  }

  /// Reads an `a{qv}` of byte arrays by company, and omits values of other types.
  mutating func manufacturerData(
    _ signature: WireText, into target: inout [UInt16: [UInt8]]
  ) -> PropertyOutcome {
    guard signature == "a{qv}" else { return .wrongType }
    target = byteArrays { $0.uint16() }
    return .applied
  }

  /// Reads an `a{sv}` of byte arrays by service, and omits values of other types.
  mutating func serviceData(
    _ signature: WireText, into target: inout [BluetoothUUID: [UInt8]]
  ) -> PropertyOutcome {
    guard signature == "a{sv}" else { return .wrongType }
    target = byteArrays { BluetoothUUID(utf8: $0.text().utf8) }
    return .applied
  }

  /// Reads an `a{yv}` of byte arrays by AD type, and omits values of other types.
  mutating func advertisingData(
    _ signature: WireText, into target: inout [UInt8: [UInt8]]
  ) -> PropertyOutcome {
    guard signature == "a{yv}" else { return .wrongType }
    target = byteArrays { $0.byte() }
    return .applied
  }

  /// Reads the entries of a dictionary, and omits invalid keys, and values of other types.
  private mutating func byteArrays<Key: Hashable>(by key: (inout WireReader) -> Key?) -> [Key: [UInt8]] {
    var arrays: [Key: [UInt8]] = [:]
    forEachElement(startingWith: TypeCode.entryBegin) { reader in
      let found = key(&reader)
      let signature = reader.signature()
      guard signature == "ay" else { return reader.skip(signature) }
      let bytes = reader.bytes()
      if let found { arrays[found] = bytes }
    }
    return arrays
  }
}

extension WireReader {
  /// Passes each property of an `a{sv}` to `apply`, and collects those of a wrong type.
  mutating func readProperties(
    of path: String, _ interface: WireText, mismatches: inout [PropertyTypeMismatch],
    _ apply: (WireText, WireText, inout WireReader) -> PropertyOutcome
  ) {
    forEachProperty { key, signature, reader in
      guard apply(key, signature, &reader) == .wrongType else { return }
      mismatches.append(
        PropertyTypeMismatch(
          path: path, interface: interface.string, property: key.string, signature: signature.string))
    }
  }
}
