// SPDX-License-Identifier: MIT

/// Year, month and day, and often the time of day (GATT Specification Supplement, Date Time); 0 is unknown.
struct DateFields: Sendable, Hashable {
  /// Year, month and day; with a time of day also hours, minutes and seconds.
  var parts: [Int]

  /// Reads four or seven bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    parts = [ByteWidth.u16.decode(bytes)] + bytes.dropFirst(2).map { Int($0) }
  }

  /// Parses `2026-11-21T05:15:23` if `count` is 6, with `T` or a space, or only the date if it is 3.
  init(parsing text: String, count: Int) throws(FormatError) {
    var parts = text.split { "-T: ".contains($0) }.compactMap { Int($0) }
    if parts.count == 3, count == 6 { parts += [0, 0, 0] }
    let separators = text.filter { !$0.isNumber }
    guard parts.count == count, ["--", "--T::", "-- ::"].contains(separators) else {
      let example = count == 3 ? "2026-11-21" : "2026-11-21T05:15:23"
      throw FormatError(text, "is no date; write it like \(example)")
    }
    self.parts = parts
    let tops = [0xffff] + Array(repeating: 0xff, count: count - 1)
    guard zip(parts, tops).allSatisfy({ $0 <= $1 }), problems.isEmpty else {
      throw FormatError(text, "is no date: " + (problems.first ?? "too large a number"))
    }
  }

  init(_ clock: CivilTime, count: Int) {
    parts = Array(
      [clock.year, clock.month, clock.day, clock.hour, clock.minute, clock.second].prefix(count))
  }

  /// `2026-11-21T05:15:23`, or without the time; unknown parts are zeros.
  var text: String {
    var text = ""
    for (index, part) in parts.enumerated() {
      let digits = String(part)
      text += ["", "-", "-", "T", ":", ":"][index]
      text += String(repeating: "0", count: max(0, (index == 0 ? 4 : 2) - digits.utf8.count)) + digits
    }
    return text
  }

  var bytes: [UInt8] {
    ByteWidth.u16.encode(parts[0]) + parts.dropFirst().map { UInt8(truncatingIfNeeded: $0) }
  }

  var problems: [String] {
    let names = ["year", "month", "day", "hour", "minute", "second"]
    let ranges = [1582...9999, 1...12, 1...31, 0...23, 0...59, 0...59]
    return parts.indices.compactMap { index in
      ranges[index].contains(parts[index]) || parts[index] == 0
        ? nil : "\(names[index]) \(parts[index]) is out of range"
    }
  }
}

/// Days since 1 January 1970 (GATT Specification Supplement, Date UTC), and their dates.
enum CalendarDay {
  /// Returns the date of a day; `unknown` for zero.
  static func value(of day: Int) -> DecodedValue {
    if day == 0 { return .text("unknown") }
    let date = GregorianDate(dayNumber: day)
    var fields = DateFields([0, 0, 0, 0])
    fields.parts = [date.year, date.month, date.day]
    return .text(fields.text)
  }

  /// Returns the day of a date, or of the word `unknown`.
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
  /// Returns the seconds of a raw value, with at least four digits; 254 and 255 are words.
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

  /// Returns the raw value with this text, or the one nearest to a number of seconds.
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
