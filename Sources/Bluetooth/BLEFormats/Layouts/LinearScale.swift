// SPDX-License-Identifier: MIT

/// From a raw number to a number in a unit: `(raw * multiplier / divisor + offset) * 10^decimal`.
struct LinearScale: Sendable, Hashable {
  /// Not zero.
  var multiplier = 1
  var decimal = 0
  /// The divisor, at least 1.
  var divisor = 1
  /// The offset in steps of `10^decimal`.
  var offset = 0

  /// True if it leaves numbers as they are.
  var isIdentity: Bool { self == LinearScale() }

  /// The number of decimals for a quotient: enough to recover the raw integer.
  private var decimals: Int {
    // The rounding error is half of the last digit, and must be less than half a step.
    var step = Int128(multiplier.magnitude)
    var decimals = -decimal
    while step <= Int128(divisor) {
      step *= 10
      decimals += 1
    }
    return max(decimals, 0)
  }

  /// Returns the number of a raw integer; a quotient is rounded to the decimals that distinguish any two of them.
  func number(_ raw: Int128) -> DecimalNumber {
    if divisor == 1 {
      return DecimalNumber(wide: raw * Int128(multiplier) + Int128(offset), exponent: decimal)
    }
    let decimals = decimals
    let unit = power(of: 10, decimals + decimal)
    let quotient = roundedQuotient(raw * Int128(multiplier) * unit, Int128(divisor))
    return DecimalNumber(wide: quotient + Int128(offset) * unit, exponent: -decimals)
  }

  /// Returns the raw integer that is nearest to a number; nil if it is far out of any range.
  func raw(_ number: DecimalNumber) -> Int128? {
    guard let (steps, parts) = steps(number) else { return nil }
    let (numerator, isTooLarge) = steps.multipliedReportingOverflow(by: Int128(divisor * multiplier.signum()))
    let (denominator, isTooSmall) = parts.multipliedReportingOverflow(by: Int128(multiplier.magnitude))
    return isTooLarge || isTooSmall ? nil : roundedQuotient(numerator, denominator)
  }

  /// Returns a number less the offset as a fraction, in steps of `10^decimal`.
  private func steps(_ number: DecimalNumber) -> (Int128, Int128)? {
    let exponent = number.exponent - decimal
    guard abs(exponent) <= 18 else { return nil }
    return exponent >= 0
      ? (Int128(number.mantissa) * power(of: 10, exponent) - Int128(offset), 1)
      : (Int128(number.mantissa) - Int128(offset) * power(of: 10, -exponent), power(of: 10, -exponent))
  }
}

extension LinearScale {
  private static let most = (
    multiplier: 1_000_000_000_000_000, divisor: 1_000_000_000, offset: 1_000_000_000_000_000_000
  )

  /// Creates the scale `scale / divisor`, then `offset`; nil is 1, 1 and 0.
  ///
  /// A quotient that ends after four decimals is exact.
  ///
  /// - Throws: an error whose text is `scale`, `divisor` or `offset`.
  init(scale: DecimalNumber?, divisor: DecimalNumber?, offset: DecimalNumber?) throws(FormatError) {
    let one = DecimalNumber(mantissa: 1, exponent: 0)
    let (scale, divisor) = ((scale ?? one).reduced, (divisor ?? one).reduced)
    let offset = (offset ?? DecimalNumber(mantissa: 0, exponent: 0)).reduced
    if scale.mantissa == 0 { throw FormatError("scale", "has the scale 0, with which all numbers are equal") }
    if divisor.mantissa <= 0 { throw FormatError("divisor", "has a divisor that is not greater than 0") }
    let common = Self.commonDivisor(Int(scale.mantissa.magnitude), divisor.mantissa)
    var (multiplier, quotient) = (Int128(scale.mantissa / common), divisor.mantissa / common)
    var tens = scale.exponent - divisor.exponent
    if let decimals = (0...4).first(where: { power(of: 10, $0) % Int128(quotient) == 0 }) {
      multiplier *= power(of: 10, decimals) / Int128(quotient)
      (tens, quotient) = (tens - decimals, 1)
    }
    let step = min(tens, offset.mantissa == 0 ? tens : offset.exponent, 0)
    guard abs(tens - step) <= 18, tens >= -18 else {
      throw FormatError("scale", "has a scale that is too large or too small")
    }
    guard offset.exponent - step <= 18, step >= -18 else {
      throw FormatError("offset", "has an offset with too many digits")
    }
    multiplier *= power(of: 10, tens - step)
    let steps = Int128(offset.mantissa) * power(of: 10, offset.exponent - step)
    guard multiplier.magnitude <= Self.most.multiplier else {
      throw FormatError("scale", "has a scale with too many digits")
    }
    guard quotient <= Self.most.divisor else {
      throw FormatError("divisor", "has a divisor with too many digits")
    }
    guard steps.magnitude <= Self.most.offset else {
      throw FormatError("offset", "has an offset with too many digits")
    }
    self.init(multiplier: Int(multiplier), decimal: step, divisor: quotient, offset: Int(steps))
  }

  private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : commonDivisor(other, one % other)
  }
}

// Numbers that are not integers are only multiplied: a quotient would have no natural end.

extension LinearScale {
  /// Returns the number of a raw decimal one, without regard to the divisor.
  func number(_ raw: DecimalNumber) -> DecimalNumber {
    var raw = raw
    let product = DecimalNumber(
      wide: Int128(raw.mantissa) * Int128(multiplier), exponent: raw.exponent + decimal)
    // Next to a number of many digits before the point, no offset can be seen.
    guard offset != 0, raw.exponent <= 18 else { return product }
    raw = raw.dropping(-18 - raw.exponent)
    let (scaled, unit) = (Int128(raw.mantissa) * Int128(multiplier), power(of: 10, abs(raw.exponent)))
    if raw.exponent < 0 {
      return DecimalNumber(wide: scaled + Int128(offset) * unit, exponent: raw.exponent + decimal)
    }
    let (steps, isTooLarge) = scaled.multipliedReportingOverflow(by: unit)
    return isTooLarge ? product : DecimalNumber(wide: steps + Int128(offset), exponent: decimal)
  }

  /// Returns the raw decimal number of a number; nil if it is far out of any range.
  func rawDecimal(_ number: DecimalNumber) -> DecimalNumber? {
    if multiplier == 1, offset == 0 {
      return DecimalNumber(mantissa: number.mantissa, exponent: number.exponent - decimal)
    }
    guard let (steps, _) = steps(number) else { return nil }
    var (numerator, exponent) = (steps * Int128(multiplier.signum()), min(0, number.exponent - decimal))
    let denominator = Int128(multiplier.magnitude)
    while numerator % denominator != 0,
      numerator.magnitude < 1_000_000_000_000_000_000 * denominator.magnitude
    {
      numerator *= 10
      exponent -= 1
    }
    return DecimalNumber(wide: roundedQuotient(numerator, denominator), exponent: exponent)
  }
}

extension DecimalNumber {
  /// Creates a number of any size, which is rounded to the digits that fit.
  init(wide mantissa: Int128, exponent: Int) {
    var (mantissa, exponent) = (mantissa, exponent)
    while Int(exactly: mantissa) == nil {
      mantissa = roundedQuotient(mantissa, 10)
      exponent += 1
    }
    self.init(mantissa: Int(mantissa), exponent: exponent)
  }
}

/// Returns an integer power; the exponents are small.
private func power(of base: Int128, _ exponent: Int) -> Int128 {
  (0..<max(0, exponent)).reduce(1) { product, _ in product * base }
}

/// Returns the nearest integer to a fraction; half away from zero.
private func roundedQuotient(_ numerator: Int128, _ denominator: Int128) -> Int128 {
  let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
  return remainder.magnitude * 2 >= denominator.magnitude ? quotient + numerator.signum() : quotient
}
