// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Glibc

/// A rule that generates values, the same ones in each run.
package enum ValueGenerator: Sendable, Equatable {
  /// These values in turn, repeated forever.
  case list([[UInt8]])
  /// The numbers of a rule, encoded.
  case numbers(NumberRule, NumberFormat)
  /// The computer's clock, UTC: the only rule whose values differ between runs.
  case clock(ClockFormat)
}

/// The encoding of a time.
package enum ClockFormat: Sendable, Hashable, CaseIterable {
  /// The ten bytes of the Current Time characteristic (2A2B).
  case currentTime
  /// Text such as `2026-04-12 12:34:41`.
  case text
}

extension CivilTime {
  static func utcNow() -> CivilTime {
    // Not by the names of the members: in a release build, Swift 6.3.1 seeks them in another module than Glibc.
    let time = UnsafeMutablePointer<timespec>.allocate(capacity: 1)
    defer { time.deallocate() }
    clock_gettime(CLOCK_REALTIME, time)
    let microseconds = time.withMemoryRebound(to: Int.self, capacity: 2) { $0[0] * 1_000_000 + $0[1] / 1000 }
    return CivilTime(microseconds: Int64(microseconds))
  }

  /// Creates the time, in UTC, a number of microseconds after 1970.
  init(microseconds: Int64) {
    let (seconds, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000)
    let (days, time) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
    let date = GregorianDate(dayNumber: Int(days))
    self.init(
      year: date.year, month: date.month, day: date.day, hour: Int(time / 3600), minute: Int(time / 60 % 60),
      second: Int(time % 60), fractions: Int(rest * 256 / 1_000_000),
      weekday: Int((days + 3).flooredQuotientAndRemainder(dividingBy: 7).remainder) + 1)
  }

  /// Parses a recorded time, `2026-04-12T12:34:41.876974Z`, to microseconds since 1970; nil for other text.
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

  /// The value of the Current Time characteristic (2A2B), without an adjust reason.
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
