// SPDX-License-Identifier: MIT

extension BluetoothUUID: LosslessStringConvertible {
  /// Parses 4, 8 or 32 hexadecimal digits of any case, with or without `0x`; returns nil for other text.
  ///
  /// 32 digits may have dashes in the usual places.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    let parsed = text.withUTF8 { Self(utf8: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Parses ASCII bytes without a terminating NUL, or returns nil; allocates nothing.
  ///
  /// BlueZ sends the form of 36 characters. The others of ``init(_:)-(StringProtocol)`` are accepted, too.
  public init?(utf8: UnsafeRawBufferPointer) {
    if let short = Self.assignedNumber(utf8) {
      self.init(short)
      return
    }
    var start = 0
    if utf8.count > 2, utf8[0] == UInt8(ascii: "0"), utf8[1] | 0x20 == UInt8(ascii: "x") { start = 2 }
    let count = utf8.count - start
    // Two halves, because shifting 128 bits for each digit is slow.
    var (high, low) = (UInt64(0), UInt64(0))
    for position in 0..<count {
      let byte = utf8[start + position]
      if count == 36, Self.isDash(position) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = HexDigit.value(of: byte) else { return nil }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
    }
    switch count {
    case 4, 8: self.init(UInt32(truncatingIfNeeded: low))
    case 32, 36: self.init(bits: UInt128(high) << 64 | UInt128(low))
    default: return nil
    }
  }

  /// Returns the number in the form of 36 characters if the rest is that of the Base UUID, in lower case: the usual case.
  private static func assignedNumber(_ utf8: UnsafeRawBufferPointer) -> UInt32? {
    let base: StaticString = "-0000-1000-8000-00805f9b34fb"
    guard utf8.count == 36, let text = utf8.baseAddress else { return nil }
    let rest = UnsafeRawPointer(base.utf8Start)
    // 28 bytes as four words, of which two overlap.
    func isEqual(at offset: Int) -> Bool {
      text.loadUnaligned(fromByteOffset: 8 + offset, as: UInt64.self)
        == rest.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    guard isEqual(at: 0), isEqual(at: 8), isEqual(at: 16), isEqual(at: 20) else { return nil }
    var number = UInt32(0)
    for position in 0..<8 {
      guard let digit = HexDigit.value(of: utf8[position]) else { return nil }
      number = number << 4 | UInt32(digit)
    }
    return number
  }

  /// Returns whether the form of 36 characters has a dash at this position.
  private static func isDash(_ position: Int) -> Bool { 0x84_2100 >> position & 1 == 1 }

  /// The shortest form, in lower case: `180d`, `12345678`, or the long form.
  public var description: String {
    guard let short = shortForm else { return longForm }
    let digits = short > 0xffff ? 8 : 4
    return String(unsafeUninitializedCapacity: 8) { buffer in
      for position in 0..<digits {
        buffer[position] = HexDigit.lower(UInt8(truncatingIfNeeded: short >> (4 * (digits - 1 - position))))
      }
      return digits
    }
  }

  /// The 128-bit form, in lower case with dashes: 36 characters, as in BlueZ and in JSON.
  public var longForm: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var half = UInt64(truncatingIfNeeded: bits >> 64)
      var digits = 0
      for position in 0..<36 {
        if Self.isDash(position) {
          buffer[position] = UInt8(ascii: "-")
          continue
        }
        if digits == 16 { half = UInt64(truncatingIfNeeded: bits) }
        buffer[position] = HexDigit.lower(UInt8(truncatingIfNeeded: half >> 60))
        half <<= 4
        digits += 1
      }
      return 36
    }
  }
}
