// SPDX-License-Identifier: MIT

/// A time as the seconds or milliseconds since 1 January 1970, in UTC.
struct UnixTime: Sendable, Hashable {
  var width: ByteWidth
  var isInMilliseconds: Bool

  private static let secondsOfDay = 86_400
  /// The years that a time can have: 0001-01-01 to the end of 9999.
  private static let years = 1...9999

  private var ticks: Int { isInMilliseconds ? 1000 : 1 }

  /// Returns a time as `2026-11-21T05:15:23Z`, with three decimals for milliseconds; nil outside of four-digit years.
  func text(of raw: Int) -> String? {
    let (seconds, fraction) = raw.flooredQuotientAndRemainder(dividingBy: ticks)
    let (day, time) = seconds.flooredQuotientAndRemainder(dividingBy: Self.secondsOfDay)
    // A larger day would overflow the calendar.
    guard width.isSigned || raw >= 0, abs(day) < 4_000_000 else { return nil }
    let date = GregorianDate(dayNumber: day)
    guard Self.years.contains(date.year) else { return nil }
    let clock = [time / 3600, time / 60 % 60, time % 60]
    let text =
      [Self.padded(date.year, 4), Self.padded(date.month, 2), Self.padded(date.day, 2)].joined(separator: "-")
      + "T" + clock.map { Self.padded($0, 2) }.joined(separator: ":")
    return text + (isInMilliseconds ? "." + Self.padded(fraction, 3) : "") + "Z"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }

  /// Encodes a time in UTC, with or without `Z` and the time of day; or the plain number of seconds or milliseconds.
  func encode(_ text: String) throws(FormatError) -> [UInt8] {
    if let raw = Int(text), width.range.contains(raw) { return width.encode(raw) }
    var digits = text[...]
    var fraction = 0
    if digits.last == "Z" || digits.last == "z" { digits = digits.dropLast() }
    if let point = digits.firstIndex(of: ".") {
      let decimals = digits[digits.index(after: point)...]
      guard isInMilliseconds, decimals.utf8.count == 3, let number = Int(decimals), number >= 0 else {
        throw FormatError(text, "is no time; write it like \(example)")
      }
      (fraction, digits) = (number, digits[..<point])
    }
    guard let fields = try? DateFields(parsing: String(digits), count: 6) else {
      throw FormatError(text, "is no time; write it like \(example), in UTC")
    }
    let parts = fields.parts
    let date = GregorianDate(year: parts[0], month: parts[1], day: parts[2])
    guard parts[1] > 0, parts[2] > 0, GregorianDate(dayNumber: date.dayNumber) == date else {
      throw FormatError(text, "is no day of the calendar")
    }
    let seconds = date.dayNumber * Self.secondsOfDay + parts[3] * 3600 + parts[4] * 60 + parts[5]
    let raw = seconds * ticks + fraction
    guard width.range.contains(raw) else { throw FormatError(text, "does not fit \(width.size) bytes") }
    return width.encode(raw)
  }

  private var example: String { isInMilliseconds ? "2026-11-21T05:15:23.250Z" : "2026-11-21T05:15:23Z" }

  /// Returns the bytes of a local time.
  func bytes(at now: CivilTime) -> [UInt8] {
    let day = GregorianDate(year: now.year, month: now.month, day: now.day).dayNumber
    let quarters = now.zoneQuarters + now.daylightSavingQuarters
    let seconds = day * Self.secondsOfDay + now.hour * 3600 + now.minute * 60 + now.second - quarters * 900
    return width.encode(seconds * ticks + (isInMilliseconds ? now.fractions * 1000 / 256 : 0))
  }
}
