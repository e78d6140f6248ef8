// SPDX-License-Identifier: MIT

/// The decimals of IEEE 11073-20601, which thermometers and scales send: an integer times a power of ten.
///
/// Both formats are little-endian, with the exponent in the top bits. Words stand for five special patterns.
package enum MedicalFloat: Sendable, Hashable, CaseIterable {
  /// 16 bits: 12 of mantissa, 4 of exponent.
  case sfloat
  /// 32 bits: 24 of mantissa, 8 of exponent.
  case float

  /// Its name on the command line.
  package var word: String { self == .sfloat ? "sfloat" : "float" }

  /// The size in bytes.
  package var size: Int { self == .sfloat ? 2 : 4 }

  private var mantissaBits: Int { self == .sfloat ? 12 : 24 }
  private var exponents: ClosedRange<Int> { self == .sfloat ? -8...7 : -128...127 }

  /// The five patterns that are not numbers, around the largest and the smallest mantissa, and their words.
  private var specials: [(word: String, pattern: UInt32)] {
    let top: UInt32 = 1 << (mantissaBits - 1)
    return [
      ("NaN", top - 1), ("NRes", top), ("+INF", top - 2), ("-INF", top + 2), ("reserved", top + 1),
    ]
  }

  /// The words that are decoded in the place of numbers.
  var words: [String] { specials.map(\.word) }

  /// Decodes ``size`` bytes to the digits that were sent, or to `NaN`, `NRes`, `+INF`, `-INF` or `reserved`.
  package func decode(_ bytes: some BidirectionalCollection<UInt8>) -> String {
    let pattern = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if let special = specials.first(where: { $0.pattern == pattern }) { return special.word }
    let shift = 32 - mantissaBits
    let mantissa = Int32(bitPattern: pattern << shift) >> shift
    let exponent = Int32(bitPattern: pattern << (32 - 8 * size)) >> (mantissaBits + 32 - 8 * size)
    return DecimalNumber(mantissa: Int(mantissa), exponent: Int(exponent)).description
  }

  /// Encodes a decimal number, rounded to the digits of the format, or a word in any case, in ``size`` bytes.
  package func encode(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    let lowered = text.lowercased()
    if let special = specials.first(where: { $0.word.lowercased() == (lowered == "inf" ? "+inf" : lowered) })
    {
      return bytes(of: special.pattern)
    }
    guard let number = DecimalNumber(text) else { throw FormatError(text, "is not a number") }
    guard let fitting = fitted(number) else {
      throw FormatError(text, "is too large or too small for \(word)")
    }
    let mantissa = UInt32(truncatingIfNeeded: fitting.mantissa) & (1 << mantissaBits - 1)
    return bytes(of: mantissa | UInt32(truncatingIfNeeded: fitting.exponent) << mantissaBits)
  }

  private func bytes(of pattern: UInt32) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: pattern >> (8 * $0)) }
  }

  /// Returns the number with a mantissa and an exponent that the format can represent, or nil.
  private func fitted(_ number: DecimalNumber) -> DecimalNumber? {
    if number.mantissa == 0 {
      let exponent = min(max(number.exponent, exponents.lowerBound), exponents.upperBound)
      return DecimalNumber(mantissa: 0, exponent: exponent)
    }
    var number = number
    while number.exponent > exponents.upperBound, abs(number.mantissa) < 1 << mantissaBits {
      number = DecimalNumber(mantissa: number.mantissa * 10, exponent: number.exponent - 1)
    }
    let least = max(0, exponents.lowerBound - number.exponent)
    guard least < 19 else { return nil }
    return (least...19).lazy.map { number.dropping($0) }.first { fits($0) }
  }

  private func fits(_ number: DecimalNumber) -> Bool {
    let top = 1 << (mantissaBits - 1)
    guard number.mantissa != 0, exponents.contains(number.exponent) else { return false }
    // With exponent 0, the outermost mantissas are the special patterns.
    let range = number.exponent == 0 ? -(top - 3)...top - 3 : -top...top - 1
    return range.contains(number.mantissa)
  }
}
