// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

@Suite("Encoding")
struct EncodingTests {
  private static let saturday = CivilTime(
    year: 2026, month: 11, day: 21, hour: 5, minute: 6, second: 7, fractions: 128, weekday: 6,
    zoneQuarters: 4,
    daylightSavingQuarters: 0)

  @Test(
    "Texts become bytes",
    arguments: [
      (0x2a06, "high", "02"), (0x2a06, "HIGH", "02"), (0x2a06, "2", "02"), (0x2a06, "alert_level=mild", "01"),
      (0x2a39, "reset-energy-expended", "01"), (0x2a39, "Reset Energy Expended", "01"),
      (0x2a37, "heart_rate_bpm=79", "004f"), (0x2a37, "heart_rate_bpm=300", "012c01"),
      (0x2a37, "heart_rate_bpm=79 rr_intervals_ms=1000,976.6 sensor_contact=yes", "164f0004e803"),
      (0x2a6e, "21.5", "6608"), (0x2a6e, "-0.01", "ffff"), (0x2a6e, "unknown", "0080"),
      (0x2a6e, "21.504", "6608"),
      (0x2a98, "70", "b036"), (0x2b18, "3.3", "d300"), (0x2a1c, "temperature_fahrenheit=98.6", "01da0300ff"),
      (0x2ad2, "speed_km_per_h=5", "0000f401"), (0x2ad2, "power_w=200", "4100c800"),
      (0x2902, "notification", "0100"), (0x2902, "", "0000"), (0x2902, "notification,indication", "0300"),
      (0x2a00, "My = Name", "4d79203d204e616d65"),
      (0x2a46, "category=call new_alerts=2 text=Anna Bo", "0302416e6e6120426f"),
      (0x2a44, "command=enable new alerts category=all", "00ff"), (0x2a85, "1977-03-04", "b9070304"),
      (0x2a8c, "male", "00"), (0x2b13, "1.1", "41"), (0x2aed, "2024-10-06", "224e00"),
      (0x2a23, "0807060504030201", "0102030405060708"),
      (0x2a2b, "now", "ea070b15050607068000"), (0x2a08, "now", "ea070b15050607"), (0x2a0f, "now", "0400"),
      (0x2a09, "Monday", "01"),
      (0x2a2b, "time=now day_of_week=Saturday fractions_256=0", "ea070b15050607060000"),
    ])
  func textsBecomeBytes(_ number: Int, _ text: String, _ hex: String) throws {
    let layout = try #require(ValueLayout(for: UInt16(number)))
    #expect(Hex.string(try layout.encode(text, at: Self.saturday)) == hex)
  }

  @Test(
    "A value that does not fit is refused with a reason",
    arguments: [
      (0x2a06, "extreme", "'extreme' is none of: none, mild, high (alert_level)"),
      (0x2a06, "256", "'256' does not fit 1 byte (alert_level)"),
      (0x2a6e, "warm", "'warm' is not a number (temperature_celsius)"),
      (0x2a6e, "400", "'400' is out of range: -273.15 to 327.67 (temperature_celsius)"),
      (0x2a6e, "1e400", "'1e400' is out of range: -273.15 to 327.67 (temperature_celsius)"),
      (
        0x2a37, "79",
        "'79' is not KEY=VALUE; the keys are sensor_contact, heart_rate_bpm, energy_expended_kj, rr_intervals_ms"
      ),
      (0x2a37, "energy_expended_kj=5", "'Heart Rate Measurement' needs heart_rate_bpm"),
      (
        0x2a35, "systolic_mmhg=120 diastolic_kpa=10 mean_arterial_pressure_mmhg=90",
        "'diastolic_kpa' does not go with the fields before it"
      ),
      (0x2a35, "systolic_mmhg=120", "'Blood Pressure Measurement' needs diastolic_mmhg"),
      (0x2a2b, "day_of_week=Monday", "'Current Time' needs time"),
      (0x2a08, "2026-13-01T00:00:00", "'2026-13-01T00:00:00' is no date: month 13 is out of range (time)"),
      (0x2a08, "yesterday", "'yesterday' is no date; write it like 2026-11-21T05:15:23 (time)"),
      (0x2902, "shouting", "'shouting' is none of: notification, indication (configuration)"),
      (0x2af8, "123456789", "'123456789' has 9 bytes; text takes 8 (text)"),
      (
        0x2a37, "heart_rate_bpm=1 heart_rate_bpm=2",
        "'heart_rate_bpm=1 heart_rate_bpm=2' has heart_rate_bpm twice"
      ),
    ])
  func whatDoesNot(_ number: Int, _ text: String, _ message: String) throws {
    let layout = try #require(ValueLayout(for: UInt16(number)))
    let error = #expect(throws: FormatError.self) { try layout.encode(text, at: Self.saturday) }
    #expect(error?.description == message)
  }

  @Test("Without a clock, 'now' is refused")
  func withoutClockNo() throws {
    let layout = try #require(ValueLayout(for: 0x2a08))
    #expect(throws: FormatError.self) { try layout.encode("now") }
  }
}

/// Properties of every layout.
@Suite("Layout property")
struct LayoutPropertyTests {
  static let all: [(number: UInt16, layout: ValueLayout)] = ValueLayout.numbers.compactMap { number in
    ValueLayout(for: BluetoothUUID(short: number)).map { (number, $0) }
  }

  @Test("There are layouts for many characteristics and descriptors")
  func layoutsManyCharacteristics() {
    #expect(Self.all.count >= 180)
    #expect(Set(Self.all.map(\.layout.name)).count == Self.all.count)
  }

  @Test("Keys are in snake_case")
  func keysSnake_case() {
    for (_, layout) in Self.all {
      for key in layout.keys {
        #expect(
          key.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } && !key.contains("__"), "\(key)")
      }
    }
  }

  @Test("No input of up to 600 bytes crashes a layout")
  func noInputUp() {
    var generator = SeededGenerator(seed: 4)
    let random = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let inputs: [[UInt8]] = [
      random, random.reversed(), Array(repeating: 0, count: 600), Array(repeating: 0xff, count: 600),
    ]
    for (_, layout) in Self.all {
      for count in 0...600 {
        let decoded = layout.decode(Array(inputs[count % 4].prefix(count)))
        if count < 30 || count == 600 {
          _ = decoded.text
          _ = try? layout.encode(decoded)
        }
      }
    }
  }

  @Test("No byte gets lost: a value that is cut anywhere says so")
  func noByteGets() {
    var generator = SeededGenerator(seed: 5)
    for (number, layout) in Self.all {
      let bytes = layout.example(using: &generator)
      let whole = layout.decode(bytes)
      for count in 0..<bytes.count {
        let decoded = layout.decode(Array(bytes[..<count]))
        #expect(
          decoded != whole || layout.canEndEarly, "\(String(number, radix: 16)) \(bytes) cut at \(count)")
      }
    }
  }

  @Test("A well-formed value is decoded without a problem, and encoded to the same bytes")
  func whatWellformedDecoded() throws {
    var generator = SeededGenerator(seed: 6)
    for (number, layout) in Self.all {
      for _ in 0..<100 {
        let bytes = layout.example(using: &generator)
        let decoded = layout.decode(bytes)
        let name = "\(String(number, radix: 16)) \(layout.name) \(Hex.string(bytes)): \(decoded.text)"
        #expect(decoded.isComplete, "\(name)")
        let encoded = try layout.encode(decoded)
        #expect(layout.decode(encoded) == decoded, "\(name): \(Hex.string(encoded))")
        #expect(encoded == bytes || layout.hasSeveralSpellings, "\(name): \(Hex.string(encoded))")
        #expect(encoded.count <= bytes.count, "\(name)")
      }
    }
  }

  @Test("A value of an earlier version is decoded whole, and encoded so that it reads the same")
  func valueEarlierVersion() throws {
    var generator = SeededGenerator(seed: 8)
    let formers = Self.all.compactMap { _, layout in layout.former.map { (layout, $0) } }
    #expect(formers.count >= 4)
    for (layout, former) in formers {
      #expect(layout.keys == former.keys)
      for _ in 0..<100 {
        let bytes = former.example(using: &generator)
        let decoded = layout.decode(bytes)
        #expect(decoded == former.decode(bytes))
        #expect(decoded.isComplete, "\(layout.name) \(Hex.string(bytes)): \(decoded.text)")
        #expect(layout.decode(try layout.encode(decoded)) == decoded, "\(layout.name) \(Hex.string(bytes))")
      }
    }
  }

  @Test("The fields of any bytes are refused, or encoded to bytes that read the same")
  func whatDecodedAnything() {
    var generator = SeededGenerator(seed: 7)
    for (_, layout) in Self.all {
      for _ in 0..<200 {
        let count = Int.random(in: 0...24, using: &generator)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var decoded = layout.decode(bytes)
        guard decoded.isComplete, let encoded = try? layout.encode(decoded) else { continue }
        let again = layout.decode(encoded)
        decoded.problems = []
        #expect(again == decoded, "\(layout.name) \(Hex.string(bytes)) \(Hex.string(encoded))")
      }
    }
  }

  @Test(
    "A text stands in quotes if it has blanks, quotes, or what looks like another field",
    arguments: [
      (#"name="he llo" b=2"#, "he llo\u{2}"), (#"name="x b=2" b=3"#, "x b=2\u{3}"),
      (#"name="say \"b=2\" \\" b=3"#, "say \"b=2\" \\\u{3}"), (#"b=3 name="""#, "\u{3}"),
      ("name=he llo b=2", "he llo\u{2}"), (#"name=5" b=2"#, "5\"\u{2}"),
    ])
  func quotedTexts(_ text: String, _ value: String) throws {
    let layout = try ValueLayout(compact: "b=u8 name=utf8")
    // The layout has the number first, since the text goes on to the end.
    let bytes = Array(value.utf8)
    #expect(try layout.encode(text) == bytes.suffix(1) + bytes.dropLast())
  }

  @Test(
    "Quotes that do not end, or end within a word, are refused",
    arguments: [
      (#"name="x b=2"#, #"'name="x b=2' has no second quote"#),
      (#"name="x"y b=2"#, #"'name="x"y b=2' has something behind its second quote"#),
      (#"name="x" y b=2"#, #"'name="x" y b=2' is not KEY=VALUE; the keys are b, name"#),
    ])
  func wrongQuotes(_ text: String, _ message: String) throws {
    let layout = try ValueLayout(compact: "b=u8 name=utf8")
    let error = #expect(throws: FormatError.self) { try layout.encode(text) }
    #expect(error?.description == message)
  }
}
