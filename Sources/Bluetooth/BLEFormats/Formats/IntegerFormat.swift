// SPDX-License-Identifier: MIT

/// The encoding of an integer of one to eight bytes: `u8`, `i24`, `u16be` and so on.
package struct IntegerFormat: Sendable, Hashable {
  /// In bytes: 1, 2, 3, 4 or 8.
  package let size: Int
  package let isSigned: Bool
  package let isBigEndian: Bool

  /// All formats, the little-endian ones first.
  package static let all = [false, true].flatMap { isBigEndian in
    [1, 2, 3, 4, 8].filter { $0 > 1 || !isBigEndian }.flatMap { size in
      [false, true].map { IntegerFormat(size: size, isSigned: $0, isBigEndian: isBigEndian) }
    }
  }

  /// Its name on the command line.
  package var word: String { "\(isSigned ? "i" : "u")\(8 * size)\(isBigEndian ? "be" : "")" }

  /// The numbers that it can represent.
  package var range: ClosedRange<Int128> {
    let bits = 8 * size
    return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
  }

  /// Decodes ``size`` bytes.
  package func decode(_ bytes: some BidirectionalCollection<UInt8>) -> Int128 {
    let pattern =
      isBigEndian
      ? bytes.reduce(Int128(0)) { $0 << 8 | Int128($1) }
      : bytes.reversed().reduce(Int128(0)) { $0 << 8 | Int128($1) }
    return pattern > range.upperBound ? pattern - (1 << (8 * size)) : pattern
  }

  /// Encodes a decimal number, or a hexadecimal one after `0x`, with an optional sign, within ``range``.
  package func encode(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    let isHex = unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X")
    let digits = isHex ? unsigned.dropFirst(2) : unsigned
    let isNumber = !digits.isEmpty && digits.allSatisfy { isHex ? $0.isHexDigit : $0.isNumber }
    guard isNumber, digits.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw FormatError(text, "is not an integer")
    }
    let magnitude = Int128(digits, radix: isHex ? 16 : 10)
    guard let number = magnitude.map({ text.hasPrefix("-") ? -$0 : $0 }), range.contains(number) else {
      throw FormatError(
        text, "does not fit \(word), which holds \(range.lowerBound) to \(range.upperBound)")
    }
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
