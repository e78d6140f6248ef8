// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Glibc

extension CivilTime {
  /// The time of the computer's clock, UTC.
  static func utcNow() -> CivilTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return CivilTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// The time a number of microseconds after 1970, UTC.
  init(microseconds: Int64) {
    let (seconds, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000)
    let (days, time) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
    let date = GregorianDate(dayNumber: Int(days))
    self.init(
      year: date.year, month: date.month, day: date.day, hour: Int(time / 3600), minute: Int(time / 60 % 60),
      second: Int(time % 60), fractions: Int(rest * 256 / 1_000_000),
      weekday: Int((days + 3).flooredQuotientAndRemainder(dividingBy: 7).remainder) + 1)
  }

  /// Parses a time as `blectl` records it, `2026-04-12T12:34:41.876974Z`.
  ///
  /// - Returns: microseconds since 1970, or nil for any other text.
  static func microseconds(parsing text: String) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count >= 20, digits.last == UInt8(ascii: "Z") else { return nil }
    for (index, mark) in zip([4, 7, 10, 13, 16], "--T::".utf8) where digits[index] != mark { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      let part = digits[range]
      guard part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
      return part.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    var fraction: Int64 = 0
    if digits.count > 20 {
      guard digits[19] == UInt8(ascii: "."), digits.count <= 27, let part = number(20..<digits.count - 1)
      else { return nil }
      fraction = (digits.count - 21..<6).reduce(part) { number, _ in number * 10 }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = Int64(GregorianDate(year: Int(year), month: Int(month), day: Int(day)).dayNumber)
    return ((days * 24 + hour) * 3600 + minute * 60 + second) * 1_000_000 + fraction
  }

  /// The value of the characteristic Current Time (2A2B), without an adjust reason.
  var currentTime: [UInt8] {
    [year & 0xFF, year >> 8, month, day, hour, minute, second, weekday, fractions, 0].map {
      UInt8(truncatingIfNeeded: $0)
    }
  }

  /// `2026-04-12 12:34:41`.
  var text: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day)) \(two(hour)):\(two(minute)):\(two(second))"
  }
}
