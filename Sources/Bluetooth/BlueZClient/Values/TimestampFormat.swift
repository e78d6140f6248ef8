// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Glibc

/// Formats a moment of the wall clock with microseconds, truncated.
package enum TimestampFormat {
  /// RFC 3339 in UTC, for JSON and for pipes, in 27 characters: `2017-04-25T04:34:41.876974Z`.
  package static func utc(seconds: Int, nanoseconds: Int) -> String {
    String(unsafeUninitializedCapacity: 27) { buffer in
      write(seconds: seconds, nanoseconds: nanoseconds, separator: "T", to: buffer)
      buffer[26] = UInt8(ascii: "Z")
      return 27
    }
  }

  /// Appends the same text to a line.
  package static func append(seconds: Int, nanoseconds: Int, to line: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { buffer in
      write(seconds: seconds, nanoseconds: nanoseconds, separator: "T", to: buffer)
      buffer[26] = UInt8(ascii: "Z")
      line.append(contentsOf: buffer)
    }
  }

  /// Replaces the six digits of the microseconds in such a text.
  static func replaceFraction(inUTC text: inout [UInt8], nanoseconds: Int) {
    text.withUnsafeMutableBufferPointer { digits(nanoseconds / 1000, 6, to: $0, at: 20) }
  }

  /// The local form for people, in 31 characters: `2017-04-25 12:34:41.876974+0800`.
  ///
  /// The offset is in seconds east of UTC; by default that of the local time zone at that moment.
  package static func local(seconds: Int, nanoseconds: Int, offset: Int? = nil) -> String {
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

  /// Returns the offset of the local time zone from UTC at a moment, in seconds east.
  package static func localOffset(at seconds: Int) -> Int {
    var moment = time_t(seconds)
    var fields = tm()
    guard localtime_r(&moment, &fields) != nil else { return 0 }
    return fields.tm_gmtoff
  }

  /// Writes the first 26 characters, which both forms share.
  private static func write(
    seconds: Int, nanoseconds: Int, separator: Unicode.Scalar, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let second = seconds - day * 86_400
    // Four digits: years before 0 or after 9999 are clamped.
    let date = GregorianDate(dayNumber: min(max(day, -719_468), 2_932_896))
    digits(date.year, 4, to: buffer, at: 0)
    buffer[4] = UInt8(ascii: "-")
    digits(date.month, 2, to: buffer, at: 5)
    buffer[7] = UInt8(ascii: "-")
    digits(date.day, 2, to: buffer, at: 8)
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
    var position = start + count
    while position > start {
      position -= 1
      buffer[position] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}
