// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// Times of records and of queries, in seconds since 1970.
package enum PageTime {
  /// Reads `2017-04-25T04:34:41.876974Z`, or a number of seconds; nil if it is neither.
  package static func seconds(_ text: some StringProtocol) -> Double? {
    if let number = Double(text) { return number.isFinite ? number : nil }
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 32, bytes.last == UInt8(ascii: "Z") else { return nil }
    for (place, sign) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
      guard bytes[place] == UInt8(ascii: sign) else { return nil }
    }
    guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), (1...12).contains(month), (1...31).contains(day), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    let days = GregorianDate(year: year, month: month, day: day).dayNumber
    let whole = Double(days * 86_400 + hour * 3600 + minute * 60 + second)
    if bytes.count == 20 { return whole }
    let digits = bytes[20..<bytes.count - 1]
    guard bytes[19] == UInt8(ascii: "."), let fraction = number(digits) else { return nil }
    return whole + digits.reduce(Double(fraction)) { rest, _ in rest / 10 }
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
