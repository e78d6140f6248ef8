// SPDX-License-Identifier: MIT

/// A scaled integer as the GATT Specification Supplement describes it: `raw * M * 10^d * 2^b`.
struct NumberShape: Sendable {
  /// A raw value that is not a number.
  struct Special: Sendable, Hashable {
    var raw: Int
    var word: String
  }

  var width: ByteWidth
  var multiplier = 1
  var decimal = 0
  /// Zero or negative.
  var binary = 0
  var specials: [Special] = []
  /// The valid raw values, apart from the special ones; nil if all are valid.
  var allowed: ClosedRange<Int>?

  /// The number of decimals for a binary exponent: enough to recover the raw value.
  private var decimals: Int {
    // The rounding error is half of the last digit, and must be less than half a step.
    var step = Int128(multiplier)
    var decimals = -decimal
    while step <= 1 << Int128(-binary) {
      step *= 10
      decimals += 1
    }
    return max(decimals, 0)
  }

  /// Returns a value; a binary exponent is rounded to the decimals that distinguish any two raw values.
  func value(of raw: Int) -> DecodedValue {
    if let special = specials.first(where: { $0.raw == raw }) { return .text(special.word) }
    if binary == 0 {
      if decimal == 0 { return .integer(raw * multiplier) }
      return .decimal(DecimalNumber(mantissa: raw * multiplier, exponent: decimal))
    }
    let decimals = decimals
    let scaled = Int128(raw) * Int128(multiplier) * power(of: 10, decimals + decimal)
    let mantissa = roundedQuotient(scaled, 1 << Int128(-binary))
    return .decimal(DecimalNumber(mantissa: Int(mantissa), exponent: -decimals))
  }

  func isAllowed(_ raw: Int) -> Bool {
    allowed?.contains(raw) ?? true || specials.contains { $0.raw == raw }
  }

  /// Returns the raw integer for a number in the unit of the field, which is rounded, or for a special word.
  func raw(of text: String) throws(FormatError) -> Int {
    let word = text.lowercased()
    if let special = specials.first(where: { $0.word.lowercased() == word }) { return special.raw }
    guard let number = DecimalNumber(text) else { throw FormatError(text, "is not a number") }
    let exponent = number.exponent - decimal
    guard abs(exponent) <= 18 else { throw FormatError(text, "is out of range") }
    var numerator = Int128(number.mantissa) << Int128(-binary)
    var denominator = Int128(multiplier)
    if exponent >= 0 { numerator *= power(of: 10, exponent) } else { denominator *= power(of: 10, -exponent) }
    let raw = roundedQuotient(numerator, denominator)
    guard width.range.contains(Int(clamping: raw)), isAllowed(Int(clamping: raw)) else {
      throw FormatError(text, "is out of range: \(limits)")
    }
    return Int(raw)
  }

  private var limits: String {
    let range = allowed ?? width.range
    var plain = self
    plain.specials = []
    return "\(plain.value(of: range.lowerBound).text) to \(plain.value(of: range.upperBound).text)"
  }
}

/// Returns an integer power; the exponents are small.
private func power(of base: Int128, _ exponent: Int) -> Int128 {
  (0..<max(0, exponent)).reduce(1) { product, _ in product * base }
}

/// Returns the nearest integer to a fraction; half away from zero.
private func roundedQuotient(_ numerator: Int128, _ denominator: Int128) -> Int128 {
  let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
  return abs(remainder) * 2 >= denominator ? quotient + numerator.signum() : quotient
}
