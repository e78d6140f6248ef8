// SPDX-License-Identifier: MIT
import TestSupport
internal import Testing

@testable import BLEFormats

@Suite("Encoding BTHome")
struct BTHomeEncodingTests {
  /// Values as they are typed, and their bytes: the examples of bthome.io/format, and what decides between kinds.
  private static let vectors: [(text: String, data: String)] = [
    ("temperature=25.06,humidity=50.55", "40 02ca09 03bf13"),
    ("humidity=50.55,temperature=25.06", "40 02ca09 03bf13"),
    ("temperature=21.5,battery=80", "40 0150 026608"),
    ("battery=97", "40 0161"), ("mass_kg=80.3", "40 065e1f"), ("mass_lb=74.86", "40 073e1d"),
    ("pressure=1008.83", "40 04138a01"), ("dew_point=17.38", "40 08ca06"), ("Dew-Point=17.38", "40 08ca06"),
    // The first kind of a name, unless its range is too small, or another is exact.
    ("temperature=-40", "40 0260f0"), ("temperature=500", "40 458813"),
    ("count=96", "40 0960"), ("count=300", "40 3d2c01"), ("count=1611213866", "40 3e2a2c0960"),
    ("count=-22", "40 59ea"), ("voltage=3.074", "40 0c020c"), ("voltage=307.4", "40 4a020c"),
    ("energy=1346.067", "40 0a138a14"), ("energy=344593.170", "40 4d12138a14"),
    // Rounded where no kind is exact.
    ("temperature=25.064", "40 02ca09"), ("co2=1250.4", "40 12e204"),
    // A kind by its number.
    ("0x45=27.3", "40 451101"), ("0x57=-22", "40 57ea"), ("0x58=-7.7", "40 58ea"), ("0x2E=35", "40 2e23"),
    // A number is a measurement, a word is a state.
    ("power=69.14", "40 0b021b00"), ("power=on", "40 1001"), ("power=1", "40 0b640000"),
    ("moisture=yes", "40 2001"), ("moisture=30.74", "40 14020c"), ("window=1", "40 2d01"),
    ("battery_low=no", "40 1500"), ("motion=true", "40 2101"),
    // Words.
    ("button=press", "40 3a01"), ("button=hold_press,button=none", "40 3a80 3a00"),
    ("button=event 119", "40 3a77"),
    ("dimmer=-3", "40 3c0103"), ("dimmer=10", "40 3c020a"), ("dimmer=none", "40 3c0000"),
    ("dimmer=event 9", "40 3c0900"),
    ("command=toggle", "40 3b0002"), ("command=step up 0a", "40 3b01030a"),
    ("command=command 9 01", "40 3b010901"),
    ("text=Hello World!", "40 530c48656c6c6f20576f726c6421"), ("text=a,b=c", "40 5305612c623d63"),
    ("raw=48656c", "40 540348656c"), ("firmware=4.2.1.0", "40 f100010204"), ("firmware=6.1.0", "40 f2000106"),
    ("packet_id=9,button=press,triggered=yes", "44 0009 3a01"), ("triggered=no", "40"),
  ]

  @Test("Typed values become the bytes of the format's description", arguments: vectors.indices)
  func vector(_ index: Int) throws {
    let (text, data) = Self.vectors[index]
    let format = try BTHome(parsing: text)
    #expect(format.encoded() == .service(BTHome.service, hex(data)))
    #expect(BTHome(data: format.data) == format)
  }

  private static let mistakes: [(text: String, error: String)] = [
    (
      "temprature=21",
      "'temprature' is not a measurement, state or event of BTHome; did you mean temperature?"
    ),
    (
      "zzzzzzzzzzzz=1",
      "'zzzzzzzzzzzz' is not a measurement, state or event of BTHome; use one such as temperature or battery"
    ),
    ("mass=3", "'mass' has several units: use mass_kg or mass_lb"),
    ("temperature=warm", "'warm' is not a number (temperature_celsius)"),
    ("temperature=4000", "'4000' is out of range: -3276.8 to 3276.7 (temperature_celsius)"),
    ("battery=256", "'256' is out of range: 0 to 100 (battery_percent)"),
    ("battery=-1", "'-1' is out of range: 0 to 100 (battery_percent)"),
    ("battery=101", "'101' is out of range: 0 to 100 (battery_percent)"),
    ("humidity=130", "'130' is out of range: 0.00 to 120 (humidity_percent)"),
    ("count=5000000000", "'5000000000' is out of range: -2147483648 to 4294967295 (count)"),
    ("0x57=200", "'200' is out of range: -128 to 127 (temperature_celsius)"),
    ("0x99=1", "'0x99' is not an object of BTHome"), ("0x=1", "'0x' is not an object of BTHome"),
    ("window=ajar", "'ajar' is neither yes nor no (window)"),
    ("power=x", "'x' is neither yes nor no (power)"),
    ("triggered=maybe", "'maybe' is neither yes nor no"),
    (
      "button=twice",
      "'twice' is none of: none, press, double press, triple press, long press, long double press, long triple press, hold press, hold release (button)"
    ),
    ("dimmer=300", "'300' is out of range: -255 to 255 (dimmer)"),
    ("dimmer=up", "'up' is neither a number of steps nor none (dimmer)"),
    ("command=go", "'go' is none of: off, on, toggle, step up, step down (command)"),
    (
      "command=on " + String(repeating: "00", count: 32),
      "'on \(String(repeating: "00", count: 32))' has an argument of 32 bytes; 31 fit (command)"
    ),
    ("raw=abc", "'abc' has an odd number of hexadecimal digits (raw)"),
    (
      "text=" + String(repeating: "a", count: 256),
      "'\(String(repeating: "a", count: 256))' has 256 bytes; 255 fit (text)"
    ),
    ("firmware=1.2", "'1.2' is not 3 numbers up to 255 with points between them (firmware)"),
    ("temperature=21,5", "'5' is not KEY=VALUE, such as temperature=21.5"),
    ("", "'' is not KEY=VALUE, such as temperature=21.5"),
    ("=5", "'=5' is not KEY=VALUE, such as temperature=21.5"),
    ("battery", "'battery' is not KEY=VALUE, such as temperature=21.5"),
  ]

  @Test("The error for a wrong value says what is wrong", arguments: mistakes.indices)
  func mistake(_ index: Int) {
    let (text, message) = Self.mistakes[index]
    var shown = ""
    do throws(FormatError) { _ = try BTHome(parsing: text) } catch { shown = error.description }
    #expect(shown == message)
  }

  @Test("Any bytes of any kind are decoded to a value that is encoded to the same bytes")
  func thereAndBack() throws {
    var generator = SeededGenerator(seed: 16)
    for (identifier, kind) in BTHomeKind.all {
      for _ in 0..<200 {
        let bytes = kind.example(using: &generator)
        let format = try #require(BTHome(data: [0x40, identifier] + bytes))
        #expect(format.fields.isComplete)
        let decoded = try #require(format.objects.first)
        let encoded = try BTHome.Object("0x\(Hex.string([identifier]))", decoded.value.text)
        #expect(encoded == decoded, "\(kind.key) \(Hex.string(bytes)) \(decoded.value.text)")
        #expect(encoded.bytes == bytes, "\(kind.key) \(decoded.value.text)")
      }
    }
  }

  @Test("A value under its name reads the same after encoding and decoding")
  func byName() throws {
    var generator = SeededGenerator(seed: 17)
    for (_, kind) in BTHomeKind.all {
      for _ in 0..<50 {
        var reader = ByteReader(kind.example(using: &generator))
        let value = try #require(kind.value(&reader))
        let object = try BTHome.Object(kind.key, value.text)
        let again = try #require(BTHome(data: BTHome(objects: [object]).data)?.objects.first)
        #expect(again == object)
        #expect(again.key == kind.key)
        let (typed, shown) = (DecimalNumber(value.text), DecimalNumber(again.value.text))
        let isSame = kind.isNumeric ? shown?.reduced == typed?.reduced : again.value == value
        #expect(isSame, "\(kind.key) \(value.text) \(again.value.text)")
      }
    }
  }

  @Test("Every name finds a kind, and no two units have one symbol")
  func names() throws {
    for (_, kind) in BTHomeKind.all {
      #expect(kind.key.hasPrefix(kind.name))
      #expect(kind.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" })
    }
    #expect(Set(BTHomeUnit.allCases.map(\.symbol)).count == BTHomeUnit.allCases.count)
  }
}

extension BTHomeKind {
  /// Well-formed bytes of the kind.
  fileprivate func example(using generator: inout SeededGenerator) -> [UInt8] {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    switch shape {
    case .number(let shape):
      return shape.width.encode(Int.random(in: shape.range, using: &generator))
    case .state: return [UInt8.random(in: 0...1, using: &generator)]
    case .event: return bytes(1)
    case .dimmer:
      // Steps without a direction, and no steps downwards, have a shorter spelling.
      let steps = UInt8.random(in: 1...255, using: &generator)
      return [[0, 0], [1, steps], [2, steps], [UInt8.random(in: 3...255, using: &generator), 0]]
        .randomElement(using: &generator) ?? []
    case .command:
      let count = Int.random(in: 0...31, using: &generator)
      return [UInt8(count)] + bytes(1 + count)
    case .text:
      let text = Array("Grüße, 21 °C".prefix(Int.random(in: 0...12, using: &generator)).utf8)
      return [UInt8(text.count)] + text
    case .raw:
      let count = Int.random(in: 0...255, using: &generator)
      return [UInt8(count)] + bytes(count)
    case .version(let count): return bytes(count)
    }
  }
}
