// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The syntax of durations in a world file: a number and its unit.
package enum DurationText {
  /// The units in microseconds, the largest first.
  private static let units: [(word: String, microseconds: Int)] = [
    ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("us", 1),
  ]

  /// The longest duration: a year.
  private static let limit = 366 * 24 * 3_600_000_000

  /// Parses a text such as `1.5s`, to the microsecond; nil when it is invalid or longer than a year.
  package static func duration(_ text: String) -> Duration? {
    let digits = text.prefix { $0 == "." || ("0"..."9").contains($0) }
    guard let unit = units.first(where: { $0.word == text.dropFirst(digits.count) }),
      digits.first != ".", digits.last != ".", let number = DecimalNumber(digits), number.exponent <= 0
    else { return nil }
    // Digits below a microsecond are cut off; a mantissa has at most 17.
    var (mantissa, divisor) = (number.mantissa, 1)
    for _ in number.exponent..<0 {
      (mantissa, divisor) = divisor < 1_000_000_000_000 ? (mantissa, divisor * 10) : (mantissa / 10, divisor)
    }
    let (product, overflow) = Int128(mantissa).multipliedReportingOverflow(by: Int128(unit.microseconds))
    let microseconds = product / Int128(divisor)
    return overflow || microseconds > Int128(limit) ? nil : .microseconds(Int64(microseconds))
  }

  /// The text of a duration, in the largest unit that needs no fraction.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    if microseconds == 0 { return "0s" }
    let unit = units.first { microseconds.isMultiple(of: $0.microseconds) }
    return unit.map { "\(microseconds / $0.microseconds)\($0.word)" } ?? "\(microseconds)us"
  }
}
