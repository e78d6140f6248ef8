// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Glibc

/// A moment as people tell it, UTC.
struct CivilTime: Sendable, Hashable {
  let year: Int
  /// 1 to 12.
  let month: Int
  /// 1 to 31.
  let day: Int
  /// 1 for Monday to 7 for Sunday.
  let weekday: Int
  let hour: Int
  let minute: Int
  let second: Int
  let microsecond: Int

  /// The moment so many microseconds after 1970.
  init(microseconds: Int64) {
    let (seconds, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000)
    let (days, time) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
    (hour, minute, second) = (Int(time / 3600), Int(time / 60 % 60), Int(time % 60))
    microsecond = Int(rest)
    weekday = Int((days + 3).flooredQuotientAndRemainder(dividingBy: 7).remainder) + 1
    let date = GregorianDate(dayNumber: Int(days))
    (year, month, day) = (date.year, date.month, date.day)
  }

  /// What the computer's clock says.
  static func now() -> CivilTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return CivilTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// The microseconds since 1970 of a time as the records of `blectl` have it: `2026-04-12T12:34:41.876974Z`; nil
  /// when it is none.
  static func microseconds(parsing text: String) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count >= 20, digits.last == UInt8(ascii: "Z") else { return nil }
    for (index, mark) in zip([4, 7, 10, 13, 16], "--T::".utf8) where digits[index] != mark { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var number: Int64 = 0
      for byte in digits[range] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        number = number * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return number
    }
    var fraction: Int64 = 0
    if digits.count > 20 {
      guard digits[19] == UInt8(ascii: "."), digits.count <= 27, let part = number(20..<digits.count - 1)
      else {
        return nil
      }
      fraction = (digits.count - 21..<6).reduce(part) { number, _ in number * 10 }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = Int64(GregorianDate(year: Int(year), month: Int(month), day: Int(day)).dayNumber)
    return ((days * 24 + hour) * 3600 + minute * 60 + second) * 1_000_000 + fraction
  }

  /// The value of the characteristic Current Time: the reason of its last adjustment is none.
  var currentTime: [UInt8] {
    [
      UInt8(year & 0xFF), UInt8(year >> 8 & 0xFF), UInt8(month), UInt8(day), UInt8(hour), UInt8(minute),
      UInt8(second), UInt8(weekday), UInt8(microsecond * 256 / 1_000_000), 0,
    ]
  }

  /// `2026-04-12 12:34:41`.
  var text: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day)) \(two(hour)):\(two(minute)):\(two(second))"
  }
}
