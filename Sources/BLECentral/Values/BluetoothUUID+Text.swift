// SPDX-License-Identifier: MIT

extension BluetoothUUID: LosslessStringConvertible {
  /// The UUID that a text spells, or nil.
  ///
  /// - Parameter text: 4, 8 or 32 hexadecimal digits of any case, with or without `0x`; the 32 digits with dashes
  ///   in their usual places or with none.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    let parsed = text.withUTF8 { Self(utf8: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// The UUID that ASCII bytes spell, or nil; nothing is allocated.
  ///
  /// This is the way in for what BlueZ sends, the 36-character form; the other forms of ``init(_:)`` are read too.
  ///
  /// - Parameter utf8: the characters, without a terminating NUL.
  public init?(utf8: UnsafeRawBufferPointer) {
    var digits = utf8[...]
    if digits.count > 2, digits[0] == UInt8(ascii: "0"), digits[1] | 0x20 == UInt8(ascii: "x") {
      digits = digits.dropFirst(2)
    }
    let dashed = digits.count == 36
    var bits: UInt128 = 0
    for (position, byte) in digits.enumerated() {
      if dashed, position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = HexDigit.value(of: byte) else { return nil }
        bits = bits << 4 | UInt128(digit)
      }
    }
    switch digits.count {
    case 4, 8: self.init(UInt32(truncatingIfNeeded: bits))
    case 32, 36: self.init(bits: bits)
    default: return nil
    }
  }

  /// The shortest spelling, in lower case: `180d`, `12345678`, or the long form.
  public var description: String {
    guard let short = shortForm else { return longForm }
    return spelled(UInt128(short), digits: short > 0xffff ? 8 : 4, dashed: false)
  }

  /// The 128-bit spelling, in lower case and with dashes: 36 characters, as in BlueZ and in JSON.
  public var longForm: String {
    spelled(bits, digits: 32, dashed: true)
  }

  private func spelled(_ bits: UInt128, digits: Int, dashed: Bool) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var end = 0
      for position in 0..<digits {
        if dashed, position == 8 || position == 12 || position == 16 || position == 20 {
          buffer[end] = UInt8(ascii: "-")
          end += 1
        }
        buffer[end] = HexDigit.lower(UInt8(truncatingIfNeeded: bits >> (4 * (digits - 1 - position))))
        end += 1
      }
      return end
    }
  }
}
