// SPDX-License-Identifier: MIT

/// A decimal number: an integer times a power of ten, without rounding to binary.
public struct DecimalNumber: Sendable, Hashable, CustomStringConvertible {
  /// The digits with their sign, including trailing zeros: `36.0` is more precise than `36`.
  public var mantissa: Int
  /// The power of ten.
  public var exponent: Int

  /// Creates the number `mantissa` times ten to the power of `exponent`.
  public init(mantissa: Int, exponent: Int) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// Parses a number, `36.60`, `-0.5` or `12e3`; returns nil for other text.
  ///
  /// Drops the digits that `Int` has no room for: those after the 18th, or the 19th.
  package init?(_ text: some StringProtocol) {
    var rest = Substring(text).utf8
    let sign = rest.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
    (mantissa, exponent) = (0, 0)
    var hasDigits = false
    var isFraction = false
    scan: while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigits = true
        if mantissa <= (Int.max - 9) / 10 {
          mantissa = mantissa * 10 + Int(byte - UInt8(ascii: "0"))
          if isFraction { exponent -= 1 }
        } else if !isFraction {
          exponent += 1
        }
      case UInt8(ascii: ".") where !isFraction: isFraction = true
      default: break scan
      }
      rest = rest.dropFirst()
    }
    guard hasDigits else { return nil }
    if sign == UInt8(ascii: "-") { mantissa.negate() }
    guard let mark = rest.first else { return }
    guard mark | 0x20 == UInt8(ascii: "e"), let power = Int(Substring(rest.dropFirst())),
      abs(power) < 10_000
    else { return nil }
    exponent += power
  }

  /// Returns the number without its last `count` digits, rounded half to even.
  package func dropping(_ count: Int) -> DecimalNumber {
    guard count > 0 else { return self }
    guard count < 19 else { return DecimalNumber(mantissa: 0, exponent: exponent + count) }
    let divisor = (0..<count).reduce(1) { power, _ in power * 10 }
    let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let isUp = abs(remainder) > half || (abs(remainder) == half && quotient % 2 != 0)
    return DecimalNumber(mantissa: quotient + (isUp ? mantissa.signum() : 0), exponent: exponent + count)
  }

  /// The same number without trailing zeros, so that equal numbers are equal values.
  package var reduced: DecimalNumber {
    var number = self
    while number.mantissa != 0, number.mantissa % 10 == 0 {
      number.mantissa /= 10
      number.exponent += 1
    }
    if number.mantissa == 0 { number.exponent = 0 }
    return number
  }

  /// The number without an exponent if that is short, otherwise as `12e30`.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends ``description`` in UTF-8.
  func append(to text: inout [UInt8]) {
    if mantissa == 0 && exponent >= 0 { return text.append(UInt8(ascii: "0")) }
    if exponent > 12 || exponent < -20 {
      text.append(mantissa)
      text.append(UInt8(ascii: "e"))
      return text.append(exponent)
    }
    text.append(mantissa, decimals: max(-exponent, 0))
    for _ in 0..<max(exponent, 0) { text.append(UInt8(ascii: "0")) }
  }
}
