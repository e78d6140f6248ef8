// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Testing

@testable internal import BlectlArguments
@testable internal import ValueStreams

@Suite("Shell patterns")
struct ShellPatternTests {
  @Test(
    "A pattern matches the whole text, character by character",
    arguments: [
      ("Caf?", "Café", true), ("Caf?", "Cafe\u{301}", true), ("Caf??", "Café", false),
      ("Caf[é]", "Cafe\u{301}", true), ("?", "👨‍👩‍👧", true), ("??", "🇩🇪🇫🇷", true), ("Größ*", "Größe 7", true),
      ("*", "", true), ("?", "", false), ("", "", true), ("", "x", false), ("MI*", "MI Band 2", true),
      ("*Band*", "MI Band 2", true), ("*Band", "MI Band 2", false), ("a*b*c", "aXbXbXc", true),
      ("a**c", "abc", true), ("mi*", "MI Band 2", false),
    ])
  func characters(pattern: String, text: String, isMatch: Bool) {
    #expect(ShellPattern(pattern).matches(text) == isMatch)
  }

  @Test(
    "Brackets choose a character: from a range, from a class, or from all others",
    arguments: [
      ("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true), ("[^a-c]x", "ax", false),
      ("[à-ý]", "é", true), ("[]x]", "]", true), ("[!]x]", "]", false), ("[a-]", "-", true),
      ("[-a]", "-", true), ("[[:digit:]]", "7", true), ("[[:digit:]]", "x", false),
      ("[![:space:]]", " ", false), ("[[:alpha:]_]", "ü", true), ("[c-a]", "b", false),
      ("[\\]]", "]", true), ("[a", "[a", true), ("x[", "x[", true), ("[]", "[]", true),
    ])
  func brackets(pattern: String, text: String, isMatch: Bool) {
    #expect(ShellPattern(pattern).matches(text) == isMatch)
  }

  @Test(
    "A backslash takes the next character as it is",
    arguments: [
      ("\\*", "*", true), ("\\*", "x", false), ("\\?", "?", true), ("\\[a]", "[a]", true), ("\\", "\\", true),
    ])
  func escapes(pattern: String, text: String, isMatch: Bool) {
    #expect(ShellPattern(pattern).matches(text) == isMatch)
  }

  @Test("A name matches with and without the blanks at its end")
  func blanks() {
    #expect(ShellPattern("EB3A 22").matchesName("EB3A 22   "))
    #expect(ShellPattern("EB3A 22  ").matchesName("EB3A 22  "))
    #expect(ShellPattern("*22").matchesName("EB3A 22 "))
    #expect(!ShellPattern("EB3A 22").matchesName("EB3A 22 x"))
    #expect(!ShellPattern("EB3A 22 ").matchesName("EB3A 22"))
    #expect(!ShellPattern("").matchesName(" x"))
  }

  @Test("Many stars do not make the work explode")
  func stars() {
    let pattern = ShellPattern(String(repeating: "*a", count: 30) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 2000)))
  }

  @Test("A part of a name ends between characters: e is not in an é that is spelt with two scalars")
  func parts() {
    #expect(NamePattern("afe").rank(of: "Cafe\u{301}") == nil)
    #expect(NamePattern("AFÉ").rank(of: "Cafe\u{301} 7") == .part)
    #expect(NamePattern("Caf?").rank(of: "Café") == .pattern)
  }
}

@Suite("Patterns of values")
struct ValuePatternTests {
  private func matches(_ words: String, _ digits: String, of uuid: UInt16) throws -> Bool {
    let attribute = AttributeIdentity(BluetoothUUID(short: uuid))
    let pattern = try ValuePattern(words.split(separator: " ").map(String.init), for: attribute)
    return pattern.matches(try #require(Hex.bytes(digits)), ValueMeaning(of: attribute))
  }

  @Test(
    "A value matches, or it does not",
    arguments: [
      ("9f5400", 0xffe2, ["9f5400"], ["9f5401", "9f54", "9f540000", ""]),
      ("9f54??", 0xffe2, ["9f5400", "9f54ff"], ["9f53ff", "9f54"]),
      ("9f 5? ?4", 0xffe2, ["9f5004", "9f5ff4"], ["9f6004", "9f5005"]),
      ("0x9f:??", 0xffe2, ["9f00"], ["9e00"]),
      ("hex:", 0xffe2, [""], ["00"]),
      ("utf8:hi", 0xffe2, ["6869"], ["6868"]),
      ("u16:1000", 0xffe2, ["e803"], ["03e8"]),
      ("u16 100..200", 0xffe2, ["6400", "c800"], ["6300", "c900", "64", ""]),
      ("u16 = 100", 0xffe2, ["6400", "64006400"], ["64006300"]),
      ("i8 -5..5", 0xffe2, ["fb", "05"], ["fa"]),
      ("u64 = 18446744073709551615", 0xffe2, ["ffffffffffffffff"], ["feffffffffffffff"]),
      ("f32 >= 0.5", 0xffe2, ["0000003f"], ["0000003e", "0000c07f"]),
      ("utf8 != hi", 0xffe2, ["6868"], ["6869"]),
      ("heart_rate_bpm > 40", 0x2a37, ["0029"], ["0028", "00"]),
      ("heart_rate_bpm>40", 0x2a37, ["0029"], ["0028"]),
      ("rr_intervals_ms > 900", 0x2a37, ["103ce803", "103c0001e803"], ["103c0001", "003c"]),
      ("temperature_celsius 21..22", 0x2a6e, ["6608"], ["d007"]),
      ("temperature_celsius = 21.5", 0x2a6e, ["6608"], ["6708"]),
      ("temperature_celsius < -5", 0x2a6e, ["0bfe"], ["0cfe"]),
      ("[0] u8 = 3", 0xffe2, ["03", "03ff"], ["04", "", "ff03"]),
      ("[2..4] u16 100..200", 0xffe2, ["ffff6400", "ffffc800ff"], ["ffff6300", "ffff64", "6400"]),
      ("[2] u16be = 100", 0xffe2, ["ffff0064", "ffff006463"], ["ffff6400"]),
      ("[0..4] u16 = 1", 0xffe2, ["01000100"], ["01000200", "0100"]),
      ("[1..] 9f5?", 0xffe2, ["009f50", "009f5f"], ["009f60", "009f5000", "9f50"]),
      ("[1] 9f5?", 0xffe2, ["009f50", "009f5fff"], ["9f50"]),
      ("[1..]utf8 = hi", 0xffe2, ["006869"], ["00686900", ""]),
      ("[2..] hex:", 0xffe2, ["0102"], ["01", "010203"]),
    ] as [(String, UInt16, [String], [String])])
  func values(_ pattern: String, _ uuid: UInt16, _ good: [String], _ bad: [String]) throws {
    for digits in good { #expect(try matches(pattern, digits, of: uuid), "\(digits)") }
    for digits in bad { #expect(try !matches(pattern, digits, of: uuid), "\(digits)") }
  }

  @Test("A pattern of a handle is checked only with the device")
  func handles() throws {
    let pattern = try ValuePattern(["heart_rate_bpm", "=", "60"], for: nil)
    #expect(pattern.matches([0, 60], ValueMeaning(of: AttributeIdentity(BluetoothUUID(short: 0x2a37)))))
    #expect(!pattern.matches([0, 60], nil))
  }

  @Test(
    "Text that is not a pattern is refused with a reason",
    arguments: [
      ("9f5?4", "'9f5?4' has an odd number of digits; '??' is any byte"),
      ("9f5?x4", "'9f5?x4' is not hexadecimal digits with '?' for any digit"),
      ("auto > 4", "'auto' cannot be compared; use a field, or a format such as u16"),
      ("u16 >", "'>' needs a value behind it"),
      ("u16 a..b", "'a' is not a number"), ("u16 = abc", "'abc' is not a number"),
      ("u8 1000..2000", "'1000' does not fit u8, which holds 0 to 255"),
      ("u8 0..256", "'256' does not fit u8, which holds 0 to 255"),
      ("i8 > -129", "'-129' does not fit i8, which holds -128 to 127"),
      ("u16 != 65536", "'65536' does not fit u16, which holds 0 to 65535"),
      (
        "u64 = 18446744073709551616",
        "'18446744073709551616' does not fit u64, which holds 0 to 18446744073709551615"
      ),
      ("[x] u8 = 1", "'[x]' does not name bytes; write [0], [2..4] or [2..]"),
      ("[-1] u8 = 1", "'[-1]' does not name bytes; write [0], [2..4] or [2..]"),
      ("[2 u8 = 1", "'[2 u8 = 1' has no ']' behind its bytes; write [0], [2..4] or [2..]"),
      ("[2..4]", "'[2..4]' needs a pattern behind it, such as u16 100..200 or 9f??"),
      ("[4..4] u8 = 1", "'[4..4]' contains no byte; the end is not included: [4..5] is one"),
      ("[600] u8 = 1", "'600' is no place in a value, which has at most 512 bytes"),
      ("[2..3] u16 = 1", "'[2..3]' is 1 byte, but u16 takes 2: [2..4]"),
      ("[2..5] 9f??", "'[2..5]' is 3 bytes, but the pattern takes 2: [2..4]"),
      ("[2..4] u61 = 1", "'u61' is not a format; did you mean u16, or u64?"),
      ("[2..4] speed_knots > 1", "'speed_knots' is not a format; use one such as u16 or utf8"),
      ("-", "'-' is not a pattern; write the bytes themselves"),
      ("@file", "'@file' is not a pattern; write the bytes themselves"),
    ])
  func refusals(_ words: String, _ expected: String) {
    let message: String?
    do throws(ArgumentError) {
      let attribute = AttributeIdentity(BluetoothUUID(short: 0xffe2))
      _ = try ValuePattern(words.split(separator: " ").map(String.init), for: attribute)
      message = nil
    } catch {
      message = error.description
    }
    #expect(message == expected)
  }

  @Test(
    "A comparison that no value of its field can fulfil is refused",
    arguments: [
      ("heart_rate_bpm = high", "'high' is no value of heart_rate_bpm: it is a number"),
      ("sensor_contact = open", "'open' is no value of sensor_contact: it is yes or no"),
      ("sensor_contact > 0", "'sensor_contact' has no order: it is yes or no"),
      ("sensor_contact 0..1", "'sensor_contact' has no order: it is yes or no"),
      (
        "heart_rate_bpm > 40 and not sensor_contact = YES",
        "'YES' is no value of sensor_contact: it is yes or no"
      ),
      ("rr_intervals_ms = long", "'long' is no value of rr_intervals_ms: it is a number"),
    ])
  func impossible(_ words: String, _ expected: String) {
    let error = #expect(throws: ArgumentError.self) {
      try ValuePattern([words], for: AttributeIdentity(BluetoothUUID(short: 0x2a37)))
    }
    #expect(error?.description == expected)
  }

  @Test(
    "Every number that the format can hold is a bound",
    arguments: [
      "u64 = 18446744073709551615", "u8 0..255", "u8 > 2.5", "i8 = -128", "f32 > 1e30", "f64 = nan",
      "utf8 = abc",
    ])
  func bounds(_ words: String) throws {
    _ = try ValuePattern(words.split(separator: " ").map(String.init), for: nil)
  }

  @Test(
    "A message shows the bytes that were looked at",
    arguments: [
      ("[2..4] u16 = 1", "ffff6400", "100 ([2..4] of ffff6400)"),
      ("[2..4] u16 = 1", "ff", "ff, which has no [2..4]"),
      ("[0] 9f", "8f00", "8f ([0] of 8f00)"), ("u16 = 1", "6400", "100 (6400)"), ("9f", "8f", "8f"),
    ])
  func shown(_ words: String, _ digits: String, _ text: String) throws {
    let pattern = try ValuePattern([words], for: nil)
    #expect(pattern.shown(try #require(Hex.bytes(digits)), nil) == text)
  }

  @Test("A field can stand behind its characteristic, with a dot between them")
  func subjects() throws {
    let subject = try ExpectSubject(parsing: "180d/2a37.heart_rate_bpm")
    #expect(subject.characteristic.description == "180d/2a37")
    #expect(subject.field == "heart_rate_bpm")
    #expect(try ExpectSubject(parsing: "2a37").field == nil)
    #expect(throws: ArgumentError.self) { try ExpectSubject(parsing: "2a37.") }
    #expect(throws: ArgumentError.self) { try ExpectSubject(parsing: ".heart_rate_bpm") }
  }
}
