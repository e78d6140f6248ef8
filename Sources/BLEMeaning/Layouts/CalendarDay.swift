// SPDX-License-Identifier: MIT

/// Days since 1 January 1970 (GATT Specification Supplement, Date UTC), and their dates.
enum CalendarDay {
  /// The date of a day; `unknown` for zero.
  static func value(of day: Int) -> DecodedValue {
    if day == 0 { return .text("unknown") }
    let date = GregorianDate(dayNumber: day)
    var fields = DateFields([0, 0, 0, 0])
    fields.parts = [date.year, date.month, date.day]
    return .text(fields.text)
  }

  /// The day of a date, or of the word `unknown`.
  static func day(of text: String) throws(FormatError) -> Int {
    if text.lowercased() == "unknown" { return 0 }
    let fields = text.split(separator: "-").compactMap { Int($0) }
    guard fields.count == 3, (1...12).contains(fields[1]), (1...31).contains(fields[2]) else {
      throw FormatError(text, "is no date; write it like 2026-11-21")
    }
    let date = GregorianDate(year: fields[0], month: fields[1], day: fields[2])
    // More years than 24 bits of days can represent.
    guard (1970...50_000).contains(date.year), GregorianDate(dayNumber: date.dayNumber) == date,
      ByteWidth.u24.range.contains(date.dayNumber), date.dayNumber > 0
    else { throw FormatError(text, "is no date from 1970-01-02 on") }
    return date.dayNumber
  }
}

/// A duration on an exponential scale: `1.1^(N-64)` seconds (GATT Specification Supplement, Time Exponential 8).
enum ExponentialTime {
  /// The seconds of a raw value, with at least four digits; 254 and 255 are words.
  static func value(of raw: UInt8) -> DecodedValue {
    switch raw {
    case 0: return .integer(0)
    case 0xfe: return .text("total lifetime")
    case 0xff: return .text("unknown")
    default: break
    }
    var seconds = 1.0
    for _ in 0..<abs(Int(raw) - 64) { seconds *= 1.1 }
    if raw < 64 { seconds = 1 / seconds }
    var exponent = 0
    while seconds < 1000 {
      seconds *= 10
      exponent -= 1
    }
    return .decimal(DecimalNumber(mantissa: Int(seconds.rounded()), exponent: exponent))
  }

  /// The raw value with this text, or the one nearest to a number of seconds.
  static func raw(of text: String) throws(FormatError) -> UInt8 {
    let all = UInt8.min...UInt8.max
    if let raw = all.first(where: { value(of: $0).text == text.lowercased() }) { return raw }
    guard let seconds = Double(text), seconds >= 0, seconds < 7e7 else {
      throw FormatError(text, "is not a number of seconds up to 66560641")
    }
    func distance(_ raw: UInt8) -> Double {
      Double(value(of: raw).text).map { abs($0 - seconds) } ?? .infinity
    }
    return all.min { distance($0) < distance($1) } ?? 0
  }
}
