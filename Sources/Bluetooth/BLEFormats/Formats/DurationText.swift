// SPDX-License-Identifier: MIT

/// The syntax of durations: a number and its unit.
package enum DurationText {
  /// The units in picoseconds: those that are printed first, the largest first.
  private static let units: [(word: String, picoseconds: Int128)] = [
    ("h", 3_600_000_000_000_000), ("m", 60_000_000_000_000), ("s", 1_000_000_000_000),
    ("ms", 1_000_000_000), ("us", 1_000_000), ("d", 86_400_000_000_000_000), ("", 1_000_000_000_000),
  ]

  /// Parses a text such as `1.5s` with one of some units, to the picosecond; nil if it is invalid.
  package static func duration(_ text: String, in words: Set<String>) -> Duration? {
    let digits = text.prefix { $0 == "." || ("0"..."9").contains($0) }
    let word = String(text.dropFirst(digits.count))
    guard words.contains(word), let unit = units.first(where: { $0.word == word })?.picoseconds,
      digits.first != ".", digits.last != ".", let number = DecimalNumber(digits), number.exponent <= 0
    else { return nil }
    // The product is less than 10³⁶.
    var picoseconds = Int128(number.mantissa) * unit
    for _ in number.exponent..<0 { picoseconds /= 10 }
    let (seconds, rest) = picoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
    return Int64(exactly: seconds).map {
      Duration(secondsComponent: $0, attosecondsComponent: Int64(rest) * 1_000_000)
    }
  }

  /// Returns a duration in the largest unit that needs no decimals, down to `finest`.
  package static func text(_ duration: Duration, downTo finest: String = "us") -> String {
    let (seconds, attoseconds) = duration.components
    let picoseconds = Int128(seconds) * 1_000_000_000_000 + Int128(attoseconds / 1_000_000)
    let unit = units.first { picoseconds.isMultiple(of: $0.picoseconds) || $0.word == finest }
    guard picoseconds >= 1_000_000, let unit else { return "0s" }
    return "\(picoseconds / unit.picoseconds)\(unit.word)"
  }

  /// Returns the whole number of the largest unit that a duration has, from seconds on: `59s`, `3m`, `2d`.
  package static func age(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let units: [(seconds: Int64, word: String)] = [(86_400, "d"), (3600, "h"), (60, "m")]
    let unit = units.first { seconds >= $0.seconds } ?? (1, "s")
    return "\(seconds / unit.seconds)\(unit.word)"
  }

  /// Returns a duration in seconds, with milliseconds: a number for records.
  package static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds * 1000 + attoseconds / 1_000_000_000_000_000) / 1000
  }
}
