// SPDX-License-Identifier: MIT

/// The init packet of Secure DFU, as far as it can be read: the device alone checks the signature.
package struct SecureInitPacket: Sendable, Equatable {
  package private(set) var firmwareVersion: UInt64?
  package private(set) var hardwareVersion: UInt64?
  /// The SoftDevices that the firmware runs with; 0 stands for none.
  package private(set) var softDevices: [UInt64] = []
  /// The number of the kind: 0 application, 1 SoftDevice, 2 bootloader, 3 both, 4 an application for another processor.
  package private(set) var type: UInt64?
  package private(set) var softDeviceSize: Int?
  package private(set) var bootloaderSize: Int?
  package private(set) var applicationSize: Int?
  /// The SHA-256 of the firmware, in the usual order.
  package private(set) var sha256: [UInt8]?
  /// True if the bootloader need not compare versions.
  package private(set) var isDebug = false
  /// The name of the signature's algorithm; nil without a signature.
  package private(set) var signature: String?

  package var isSigned: Bool { signature != nil }

  /// Reads a packet; nil if it is not a message of Nordic's definition with a command to begin.
  package init?(_ bytes: [UInt8]) {
    guard let packet = Protobuf.fields(of: bytes[...]), packet.count == 1, let content = packet[0].bytes
    else { return nil }
    var command = content
    switch packet[0].number {
    case 1: break
    case 2:
      guard let signed = Protobuf.fields(of: content),
        let inner = signed.first(where: { $0.number == 1 })?.bytes,
        signed.contains(where: { $0.number == 3 && $0.bytes?.isEmpty == false })
      else { return nil }
      command = inner
      let kind = signed.first { $0.number == 2 }?.varint ?? 0
      signature = kind == 0 ? "ECDSA P-256" : kind == 1 ? "Ed25519" : "number \(kind)"
    default: return nil
    }
    guard let fields = Protobuf.fields(of: command),
      let start = fields.first(where: { $0.number == 2 })?.bytes,
      let parts = Protobuf.fields(of: start)
    else { return nil }
    for part in parts { if !read(part) { return nil } }
  }

  /// Reads a field; returns false if it is malformed.
  private mutating func read(_ field: Protobuf.Field) -> Bool {
    switch field.number {
    case 1: firmwareVersion = field.varint
    case 2: hardwareVersion = field.varint
    case 3:
      if let number = field.varint {
        softDevices.append(number)
      } else {
        guard let packed = field.bytes, let numbers = Protobuf.numbers(packed) else { return false }
        softDevices += numbers
      }
    case 4: type = field.varint
    case 5: softDeviceSize = field.varint.flatMap { Int(exactly: $0) }
    case 6: bootloaderSize = field.varint.flatMap { Int(exactly: $0) }
    case 7: applicationSize = field.varint.flatMap { Int(exactly: $0) }
    case 8:
      guard let hash = field.bytes.flatMap({ Protobuf.fields(of: $0) }) else { return false }
      let kind = hash.first { $0.number == 1 }?.varint
      guard let value = hash.first(where: { $0.number == 2 })?.bytes else { return false }
      // Nordic writes the last byte first.
      if kind == 3, value.count == 32 { sha256 = value.reversed() }
    case 9: isDebug = field.varint == 1
    default: break
    }
    return true
  }

  /// Compares a firmware with what the packet says of it.
  func problems(with firmware: [UInt8], _ kind: NordicFirmware.Kind) -> [String] {
    var problems: [String] = []
    let sizes = [softDeviceSize, bootloaderSize, applicationSize].compactMap { $0 }
    // A size may be any number: the sum of large ones would overflow.
    if !sizes.isEmpty, sizes.contains(where: { $0 > firmware.count }) || sizes.reduce(0, +) != firmware.count
    {
      let words = sizes.filter { $0 > 0 }.map(String.init).joined(separator: " and ")
      problems.append("it has \(firmware.count) bytes, the init packet says \(words.isEmpty ? "0" : words)")
    }
    if let type, let expected = Self.kinds[type], expected != kind {
      problems.append("the manifest says \(kind.word), the init packet \(expected.word)")
    }
    if let sha256, let digest = try? SHA256.digest(of: firmware), digest != sha256 {
      problems.append("its SHA-256 is \(Hex.string(digest)), the init packet says \(Hex.string(sha256))")
    }
    return problems
  }

  private static let kinds: [UInt64: NordicFirmware.Kind] = [
    0: .application, 1: .softDevice, 2: .bootloader, 3: .softDeviceAndBootloader,
  ]
}

/// The encoding of messages of Protocol Buffers, without their meaning.
private enum Protobuf {
  struct Field {
    let number: UInt64
    /// The number, if the field is one.
    let varint: UInt64?
    /// The bytes, if the field is a text, bytes or a message.
    let bytes: ArraySlice<UInt8>?
  }

  /// Returns the fields of a message; nil if the bytes are none.
  static func fields(of bytes: ArraySlice<UInt8>) -> [Field]? {
    var (rest, fields) = (bytes, [Field]())
    while !rest.isEmpty {
      guard let key = number(&rest), key >> 3 > 0 else { return nil }
      switch key & 7 {
      case 0:
        guard let value = number(&rest) else { return nil }
        fields.append(Field(number: key >> 3, varint: value, bytes: nil))
      case 2:
        guard let length = number(&rest), length <= UInt64(rest.count) else { return nil }
        fields.append(Field(number: key >> 3, varint: nil, bytes: rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
      case 1, 5:
        let size = key & 7 == 1 ? 8 : 4
        guard rest.count >= size else { return nil }
        fields.append(Field(number: key >> 3, varint: nil, bytes: nil))
        rest = rest.dropFirst(size)
      default: return nil
      }
    }
    return fields
  }

  /// Returns numbers that stand one behind the other.
  static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt64]? {
    var (rest, numbers) = (bytes, [UInt64]())
    while !rest.isEmpty {
      guard let number = number(&rest) else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Takes a number of seven bits a byte, the least significant first.
  private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
