// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Glibc

/// A rule that generates values, the same ones in each run.
package enum ValueGenerator: Sendable, Equatable {
  /// These values in turn, repeated forever.
  case list([[UInt8]])
  /// The numbers of a rule, encoded.
  case numbers(NumberRule, NumberFormat)
  /// Values by the layout of their fields.
  case layout(LayoutRule)
  /// The computer's clock, UTC: with the text `now` in a layout, the only rule whose values differ between runs.
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
