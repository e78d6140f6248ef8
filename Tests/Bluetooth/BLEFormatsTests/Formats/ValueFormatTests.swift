// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

@Suite("ValueFormat")
struct ValueFormatTests {
  @Test("Every word of the command line is a format, and no other")
  func words() throws {
    let words =
      "auto hex utf8 base64 raw u8 i8 u16 i16 u24 i24 u32 i32 u64 i64 u16be i16be u24be i24be u32be i32be u64be "
      + "i64be f32 f64 f32be f64be sfloat float"
    #expect(ValueFormat.words.joined(separator: " ") == words)
    for word in words.split(separator: " ").map(String.init) {
      #expect(try ValueFormat(parsing: word).word == word)
    }
  }

  @Test(
    "An unknown word is refused with those that resemble it, or with the list of all",
    arguments: [
      ("", "the formats are auto hex utf8 "), ("decimal", "the formats are auto hex utf8 "),
      ("u17", "did you mean u16?"), ("U8", "did you mean u8?"),
      ("u8be", "did you mean u8, or u16be, or u24be?"), ("floaty", "did you mean float?"),
    ])
  func unknown(word: String, advice: String) {
    let error = #expect(throws: FormatError.self) { try ValueFormat(parsing: word) }
    #expect(error?.description.hasPrefix("'\(word)' is not a format; \(advice)") == true)
    #expect((try? ValueFormat(parsing: word)) == nil)
  }

  @Test(
    "Bytes are decoded",
    arguments: [
      ("hex", "0aff", "0aff"), ("auto", "0a", "0a"), ("raw", "0a", "0a"), ("utf8", "68c3a9", "hé"),
      ("utf8", "", ""),
      ("base64", "", ""), ("base64", "66", "Zg=="), ("base64", "666f", "Zm8="), ("base64", "666f6f", "Zm9v"),
      ("u8", "00ff", "0 255"), ("i8", "80ff7f", "-128 -1 127"), ("u16", "e803", "1000"),
      ("u16be", "03e8", "1000"),
      ("i16", "ff7f0080", "32767 -32768"), ("u24", "563412", "1193046"), ("i24", "ffffff", "-1"),
      ("i24be", "800000", "-8388608"), ("u32", "ffffffff", "4294967295"), ("i32be", "fffffffe", "-2"),
      ("u64", "ffffffffffffffff", "18446744073709551615"),
      ("i64", "0000000000000080", "-9223372036854775808"),
      ("f32", "0000c03f", "1.5"), ("f32be", "3fc00000", "1.5"), ("f64", "9a9999999999b93f", "0.1"),
      ("f64be", "7ff0000000000000", "inf"), ("f32", "0000c07f", "nan"), ("u16", "", ""),
    ])
  func decodes(word: String, hex: String, text: String) throws {
    #expect(try ValueFormat(parsing: word).decode(#require(Hex.bytes(hex))) == text)
  }

  @Test(
    "Bytes that are not of the format are shown with the reason",
    arguments: [
      ("u16", "0102ff", "0102ff (3 bytes, not u16)"), ("u64be", "01", "01 (1 byte, not u64be)"),
      ("utf8", "ff", "ff (1 byte, not utf8)"), ("float", "0102", "0102 (2 bytes, not float)"),
      ("u8", "07", "7"),
    ])
  func leftovers(word: String, hex: String, text: String) throws {
    #expect(try ValueFormat(parsing: word).text(of: #require(Hex.bytes(hex))) == text)
  }

  @Test(
    "Texts are encoded",
    arguments: [
      ("hex", "0aff", "0aff"), ("hex", "", ""), ("utf8", "hé", "68c3a9"), ("utf8", "a:b", "613a62"),
      ("raw", "hi", "6869"), ("base64", "Zm8=", "666f"), ("base64", "Zm8", "666f"), ("base64", "", ""),
      ("u8", "255", "ff"), ("u8", "0xFF", "ff"), ("i8", "-128", "80"), ("i8", "-0x80", "80"),
      ("u16", "1000", "e803"),
      ("u16be", "+1000", "03e8"), ("u24", "0x123456", "563412"), ("i24be", "-1", "ffffff"),
      ("u64", "18446744073709551615", "ffffffffffffffff"),
      ("i64", "-9223372036854775808", "0000000000000080"),
      ("u16", "1,2 3", "010002000300"), ("f32", "1.5", "0000c03f"), ("f64be", "-inf", "fff0000000000000"),
      ("f32", "1e3", "00007a44"),
    ])
  func encodes(word: String, text: String, hex: String) throws {
    #expect(try Hex.string(ValueFormat(parsing: word).encode(text)) == hex)
  }

  @Test(
    "A text that is not of the format, or out of its range, is refused by name",
    arguments: [
      ("u8", "256", "'256' does not fit u8, which holds 0 to 255"),
      ("u8", "-1", "'-1' does not fit u8, which holds 0 to 255"),
      ("i8", "128", "'128' does not fit i8, which holds -128 to 127"),
      ("i24", "8388608", "'8388608' does not fit i24, which holds -8388608 to 8388607"),
      (
        "u64", "18446744073709551616",
        "'18446744073709551616' does not fit u64, which holds 0 to 18446744073709551615"
      ),
      ("i16be", String(repeating: "9", count: 6), "'999999' does not fit i16be, which holds -32768 to 32767"),
      ("u16", "abc", "'abc' is not an integer"), ("u16", "1.5", "'1.5' is not an integer"),
      ("u16", "--1", "'--1' is not an integer"), ("u16", "0x", "'0x' is not an integer"),
      ("u16", "٣", "'٣' is not an integer"), ("u16", "", "'u16:' has no number"),
      ("f32", " ", "'f32: ' has no number"),
      ("f32", "1e39", "'1e39' is too large for f32"), ("f64", "1e999", "'1e999' is too large for f64"),
      ("f32", "one", "'one' is not a number"), ("base64", "Zg=", "'Zg=' is not base64"),
      ("base64", "Zh", "'Zh' is not base64"), ("base64", "Z", "'Z' is not base64"),
      ("base64", "====", "'====' is not base64"),
      ("base64", "Zm 8", "'Zm 8' is not base64"),
      ("hex", "abc", "'abc' has an odd number of hexadecimal digits"),
      ("auto", "1", "'auto:1' depends on the characteristic"),
    ])
  func refused(word: String, text: String, message: String) throws {
    let format = try ValueFormat(parsing: word)
    let error = #expect(throws: FormatError.self) { try format.encode(text) }
    #expect(error?.description == message)
  }

  @Test("A number of more digits than any integer has is out of range, not nonsense")
  func hugeInteger() {
    let digits = String(repeating: "9", count: 60)
    let error = #expect(throws: FormatError.self) {
      try ValueFormat.integer(IntegerFormat(size: 8, isSigned: false, isBigEndian: false)).encode(digits)
    }
    #expect(error?.description.contains("does not fit u64") == true)
  }

  @Test("Decoded bytes encode to the same bytes", arguments: ValueFormat.all)
  func roundTrip(format: ValueFormat) throws {
    var random = SeededGenerator(seed: 20)
    for _ in 0..<200 {
      let count = (format.numberSize ?? 1) * Int.random(in: 1...5, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      guard let text = format.decode(bytes) else { continue }
      switch format {
      case .auto, .raw: #expect(Hex.bytes(text) == bytes)
      // NaNs have many patterns and one name, and a decimal number several spellings: the text must stay the
      // same.
      case .medical, .real: #expect(try same(format.decode(format.encode(text)), text))
      default: #expect(try format.encode(text) == bytes)
      }
    }
  }

  /// Whether two lists of numbers are the same: in digits, or at least in value.
  private func same(_ left: String?, _ right: String) -> Bool {
    guard let left, left != right else { return left != nil }
    let pairs = zip(left.split(separator: " "), right.split(separator: " "))
    return pairs.allSatisfy { left, right in
      if let left = Double(left), let right = Double(right) {
        return left == right || left.isNaN && right.isNaN || abs(left - right) <= abs(right) * 1e-12
      }
      return left == right
    }
  }
}

@Suite("Decoded fields")
struct DecodedFieldsTests {
  @Test("Text has labels, values and units in order")
  func textHasLabels() {
    var fields = DecodedFields()
    fields.add("heart_rate_bpm", 79, unit: "bpm")
    fields.add("rr_intervals_ms", .list([976, 992]), label: "RR", unit: "ms")
    fields.add("sensor_contact", true, label: "contact")
    #expect(fields.text == "79 bpm, RR 976 992 ms, contact yes")
    #expect(fields["heart_rate_bpm"] == 79)
    #expect(fields["weight_kg"] == nil)
  }

  @Test("Words have no unit, and empty lists are not mentioned")
  func wordsHaveNo() {
    var fields = DecodedFields()
    fields.add("temperature_celsius", "unknown", unit: "°C")
    fields.add("statuses", .list([]), label: "status")
    #expect(fields.text == "unknown")
  }

  @Test("Problems stand at the end")
  func whatWrongStands() {
    var fields = DecodedFields()
    fields.add("battery_level_percent", .decimal(DecimalNumber(mantissa: 3660, exponent: -2)), unit: "%")
    fields.rest = [1, 0xff]
    fields.problems = ["2 bytes missing for energy_expended_kj", "reserved"]
    #expect(
      fields.text == "36.60 %, rest 01ff (2 bytes missing for energy_expended_kj; reserved)")
    #expect(!fields.isComplete)
  }

  @Test("Records within records have braces")
  func recordsWithinRecords() {
    var inner = DecodedFields()
    inner.add("x", 1)
    var fields = DecodedFields()
    fields.add("records", .list([.fields(inner), .fields(inner)]))
    fields.add("key", .bytes([0xab]), label: "key")
    #expect(fields.text == "{1}, {1}, key ab")
  }
}
