// SPDX-License-Identifier: MIT
internal import Glibc

/// Writes a moment of the wall clock; both forms have microseconds, and later digits are cut off.
enum TimestampFormat {
  /// RFC 3339 in UTC, for JSON and for pipes: `2017-04-25T04:34:41.876974Z`.
  ///
  /// - Parameters:
  ///   - seconds: since 1970-01-01 00:00 UTC.
  ///   - nanoseconds: the part of a second, 0 to 999 999 999.
  /// - Returns: 27 characters.
  static func utc(seconds: Int, nanoseconds: Int) -> String {
    String(unsafeUninitializedCapacity: 27) { buffer in
      write(seconds: seconds, nanoseconds: nanoseconds, separator: "T", to: buffer)
      buffer[26] = UInt8(ascii: "Z")
      return 27
    }
  }

  /// Adds the same to a line that is being built.
  static func append(seconds: Int, nanoseconds: Int, to line: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { buffer in
      write(seconds: seconds, nanoseconds: nanoseconds, separator: "T", to: buffer)
      buffer[26] = UInt8(ascii: "Z")
      line.append(contentsOf: buffer)
    }
  }

  /// The local form, for people: `2017-04-25 12:34:41.876974+0800`.
  ///
  /// - Parameters:
  ///   - seconds: since 1970-01-01 00:00 UTC.
  ///   - nanoseconds: the part of a second, 0 to 999 999 999.
  ///   - offset: seconds east of UTC; by default what the local time zone had at that moment.
  /// - Returns: 31 characters.
  static func local(seconds: Int, nanoseconds: Int, offset: Int? = nil) -> String {
    let offset = offset ?? localOffset(at: seconds)
    return String(unsafeUninitializedCapacity: 31) { buffer in
      write(seconds: seconds + offset, nanoseconds: nanoseconds, separator: " ", to: buffer)
      buffer[26] = offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
      let minutes = abs(offset) / 60
      digits(minutes / 60, 2, to: buffer, at: 27)
      digits(minutes % 60, 2, to: buffer, at: 29)
      return 31
    }
  }

  /// How far the local time zone is east of UTC at a moment, in seconds.
  static func localOffset(at seconds: Int) -> Int {
    var moment = time_t(seconds)
    var fields = tm()
    guard localtime_r(&moment, &fields) != nil else { return 0 }
    return fields.tm_gmtoff
  }

  /// The first 26 characters of both forms.
  private static func write(
    seconds: Int, nanoseconds: Int, separator: Unicode.Scalar, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let second = seconds - day * 86_400
    let (year, month, dayOfMonth) = date(ofDay: day)
    digits(year, 4, to: buffer, at: 0)
    buffer[4] = UInt8(ascii: "-")
    digits(month, 2, to: buffer, at: 5)
    buffer[7] = UInt8(ascii: "-")
    digits(dayOfMonth, 2, to: buffer, at: 8)
    buffer[10] = UInt8(ascii: separator)
    digits(second / 3600, 2, to: buffer, at: 11)
    buffer[13] = UInt8(ascii: ":")
    digits(second / 60 % 60, 2, to: buffer, at: 14)
    buffer[16] = UInt8(ascii: ":")
    digits(second % 60, 2, to: buffer, at: 17)
    buffer[19] = UInt8(ascii: ".")
    digits(nanoseconds / 1000, 6, to: buffer, at: 20)
  }

  private static func digits(
    _ number: Int, _ count: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) {
    var rest = number
    for position in (start..<start + count).reversed() {
      buffer[position] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }

  /// The Gregorian date of a day counted from 1970-01-01; what is before year 0 or after 9999 becomes the
  /// nearest.
  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    // Years that begin in March put the leap day at their end; 719 468 days before 1970 such a year 0 began.
    let day = min(max(day + 719_468, 0), 3_652_364)
    let (era, dayOfEra) = day.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}
