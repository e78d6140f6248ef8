// SPDX-License-Identifier: MIT

/// A time of day and date in UTC, as records have it: `2017-04-25T04:34:41.876974Z`.
package struct UTCTime: Sendable, Hashable {
  /// Whole seconds since 1970.
  package let seconds: Int
  /// 0 to 999,999,999.
  package let nanoseconds: Int

  /// Parses a time with up to nine decimals; nil for other text.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    for (index, mark) in zip([4, 7, 10, 13, 16], "--T::".utf8) where bytes[index] != mark { return nil }
    guard let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
      let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
      let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19]),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = GregorianDate(year: year, month: month, day: day).dayNumber
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    if bytes.count == 20 {
      nanoseconds = 0
      return
    }
    let decimals = bytes[20..<bytes.count - 1]
    guard bytes[19] == UInt8(ascii: "."), decimals.count <= 9, let fraction = Self.number(decimals) else {
      return nil
    }
    nanoseconds = (decimals.count..<9).reduce(fraction) { number, _ in number * 10 }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return digits.isEmpty ? nil : number
  }
}
