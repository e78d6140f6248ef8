// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

@Suite("GregorianDate")
struct GregorianDateTests {
  @Test(
    "Days and dates belong together, before 1970 too",
    arguments: [
      (0, 1970, 1, 1), (-1, 1969, 12, 31), (19_782, 2024, 2, 29), (19_783, 2024, 3, 1),
      (-25_509, 1900, 2, 28),
      (-25_508, 1900, 3, 1), (11_016, 2000, 2, 29), (-719_528, 0, 1, 1), (2_932_896, 9999, 12, 31),
    ])
  func pairs(number: Int, year: Int, month: Int, day: Int) {
    let date = GregorianDate(year: year, month: month, day: day)
    #expect(GregorianDate(dayNumber: number) == date)
    #expect(date.dayNumber == number)
  }

  @Test("Every day of eight hundred years comes back")
  func everyDay() {
    for number in -200_000..<100_000 {
      guard GregorianDate(dayNumber: number).dayNumber == number else {
        Issue.record("day \(number)")
        return
      }
    }
  }

  @Test(
    "A date that is typed may lie anywhere",
    arguments: ["9223372036854775807-01-01", "1969-12-31", "2023-02-29"])
  func far(text: String) {
    #expect(throws: FormatError.self) { try CalendarDay.day(of: text) }
  }
}

@Suite("Hex")
struct HexTests {
  @Test(
    "Bytes become two lower-case digits each", arguments: [([], ""), ([0], "00"), ([0x0a, 0xFF], "0aff")])
  func string(bytes: [UInt8], text: String) {
    #expect(Hex.string(bytes) == text)
    var line = Array(">".utf8)
    Hex.append(bytes, to: &line)
    #expect(String(decoding: line, as: UTF8.self) == ">" + text)
  }

  @Test("Digits of any case become bytes", arguments: [("", []), ("00", [0]), ("aAfF", [0xaa, 0xff])])
  func bytes(text: String, bytes: [UInt8]) {
    #expect(Hex.bytes(text) == bytes)
  }

  @Test(
    "Text that is not pairs of digits is refused",
    arguments: ["0", "000", "0g", "g0", "0x00", " 00", "00 ", "é"])
  func refused(text: String) {
    #expect(Hex.bytes(text) == nil)
  }

  @Test("Random bytes read back from their digits")
  func roundTrip() {
    var random = SeededGenerator(seed: 10)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      #expect(Hex.bytes(Hex.string(bytes)) == bytes)
      #expect(Hex.bytes(Hex.string(bytes).uppercased()) == bytes)
    }
  }
}

@Suite("MedicalFloat")
struct MedicalFloatTests {
  @Test(
    "A number has the digits that were sent",
    arguments: [
      (MedicalFloat.float, "6e0100ff", "36.6"), (.float, "680100ff", "36.0"), (.float, "4c0e00fe", "36.60"),
      (.sfloat, "72f0", "11.4"), (.sfloat, "0000", "0"), (.sfloat, "00f0", "0.0"), (.sfloat, "0c30", "12000"),
      (.sfloat, "ff0f", "-1"), (.sfloat, "ffff", "-0.1"), (.sfloat, "0a80", "0.00000010"),
      (.sfloat, "fd07", "2045"),
      (.sfloat, "0308", "-2045"), (.sfloat, "ff17", "20470"), (.sfloat, "0018", "-20480"),
      (.float, "ffffff00", "-1"), (.float, "0100007f", "1e127"), (.float, "01000080", "1e-128"),
    ])
  func numbers(format: MedicalFloat, hex: String, text: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(format.decode(bytes) == text)
    #expect(try format.decode(format.encode(text)) == text)
  }

  @Test(
    "The special patterns have words, in both directions",
    arguments: [
      (MedicalFloat.sfloat, "ff07", "NaN"), (.sfloat, "0008", "NRes"), (.sfloat, "fe07", "+INF"),
      (.sfloat, "0208", "-INF"), (.sfloat, "0108", "reserved"), (.float, "ffff7f00", "NaN"),
      (.float, "00008000", "NRes"), (.float, "feff7f00", "+INF"), (.float, "02008000", "-INF"),
      (.float, "01008000", "reserved"),
    ])
  func specials(format: MedicalFloat, hex: String, word: String) throws {
    #expect(format.decode(try #require(Hex.bytes(hex))) == word)
    #expect(try Hex.string(format.encode(word)) == hex)
    #expect(try Hex.string(format.encode(word.lowercased())) == hex)
  }

  @Test(
    "A number is rounded to what the format holds, and never becomes a special pattern",
    arguments: [
      (MedicalFloat.sfloat, "36.55", "36.6"), (.sfloat, "36.45", "36.4"), (.sfloat, "2046", "2050"),
      (.sfloat, "2047", "2050"), (.sfloat, "-2048", "-2050"), (.sfloat, "99999", "100000"),
      (.sfloat, "1e9", "1000000000"),
      (.sfloat, "inf", "+INF"), (.sfloat, "-0.00", "0.00"), (.float, "8388606", "8388610"),
      (.float, "3.14159265358979", "3.141593"), (.sfloat, "20470000000", "20470000000"),
      (.sfloat, "1.5e-7", "0.00000015"),
    ])
  func rounding(format: MedicalFloat, text: String, decoded: String) throws {
    #expect(try format.decode(format.encode(text)) == decoded)
  }

  @Test(
    "A number out of range, and text that is not a number, are refused",
    arguments: [
      (MedicalFloat.sfloat, "1e12", "'1e12' is too large or too small for sfloat"),
      (.sfloat, "-3e10", "'-3e10' is too large or too small for sfloat"),
      (.sfloat, "1e-12", "'1e-12' is too large or too small for sfloat"),
      (.float, "1e140", "'1e140' is too large or too small for float"),
      (.float, "1e-9999", "'1e-9999' is too large or too small for float"),
      (.float, "1e99999", "'1e99999' is not a number"), (.float, "", "'' is not a number"),
      (.float, "1.2.3", "'1.2.3' is not a number"), (.float, "-", "'-' is not a number"),
      (.float, "1e", "'1e' is not a number"), (.float, "warm", "'warm' is not a number"),
    ])
  func refused(format: MedicalFloat, text: String, message: String) {
    let error = #expect(throws: FormatError.self) { try format.encode(text) }
    #expect(error?.description == message)
  }

  @Test("Every 16-bit number keeps its value")
  func everySfloat() throws {
    for pattern in UInt16.min...UInt16.max {
      let bytes = [UInt8(truncatingIfNeeded: pattern), UInt8(pattern >> 8)]
      let text = MedicalFloat.sfloat.decode(bytes)
      let again = try MedicalFloat.sfloat.decode(MedicalFloat.sfloat.encode(text))
      if again != text { Issue.record("\(text) became \(again)") }
    }
  }

  @Test("Digits that an integer has no room for are cut off, and the point may stand anywhere")
  func decimals() {
    #expect(DecimalNumber("0.5") == DecimalNumber(mantissa: 5, exponent: -1))
    #expect(DecimalNumber("5.") == DecimalNumber(mantissa: 5, exponent: 0))
    #expect(DecimalNumber(".5E2") == DecimalNumber(mantissa: 5, exponent: 1))
    #expect(
      DecimalNumber("123456789012345678901")
        == DecimalNumber(mantissa: 1_234_567_890_123_456_789, exponent: 2))
    #expect(
      DecimalNumber("1.23456789012345678901")
        == DecimalNumber(mantissa: 1_234_567_890_123_456_789, exponent: -18))
    #expect(DecimalNumber(".") == nil)
  }

  @Test(
    "A number has all its digits, and at least one before the point",
    arguments: [
      (0, 0, "0"), (0, 3, "0"), (0, -2, "0.00"), (7, 0, "7"), (-7, 2, "-700"), (3660, -2, "36.60"),
      (5, -1, "0.5"), (-5, -3, "-0.005"), (-2, -20, "-0.00000000000000000002"), (1, -21, "1e-21"),
      (12, 12, "12000000000000"), (-12, 13, "-12e13"), (.max, 0, "9223372036854775807"),
      (.min, 0, "-9223372036854775808"), (.min, -18, "-9.223372036854775808"),
      (.min, -20, "-0.09223372036854775808"), (.max, 12, "9223372036854775807000000000000"),
    ])
  func digits(mantissa: Int, exponent: Int, text: String) {
    #expect(DecimalNumber(mantissa: mantissa, exponent: exponent).description == text)
    if exponent == 0 { #expect(DecodedValue.integer(mantissa).text == text) }
  }
}
