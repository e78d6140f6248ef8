// SPDX-License-Identifier: MIT
import BLEFormats
import TestSupport
import Testing
import ValueStreams

@testable import BlectlArguments

@Suite("ValueArgument")
struct ValueArgumentTests {
  @Test(
    "A value is hexadecimal, or of the format in front of its colon",
    arguments: [
      ("f03d3d0002f7", "f03d3d0002f7"), ("F0", "f0"), ("33 01 01 xor8", "33010133"), ("0xf03d", "f03d"),
      ("0Xf03d", "f03d"),
      ("f0:3d:3d", "f03d3d"),
      ("f0 3d 3d", "f03d3d"), ("0xf0 0x3d", "f03d"), ("0xf0:0x3d", "f03d"), (" f0  3d ", "f03d"),
      ("f03d:02", "f03d02"),
      ("hex:", ""), ("hex:f0:3d", "f03d"), ("hex:0xf0", "f0"), ("u16:1000", "e803"), ("u8:1,2,3", "010203"),
      ("utf8:hello", "68656c6c6f"), ("utf8:a:b", "613a62"), ("utf8:", ""), ("utf8: x", "2078"),
      ("base64:Zg==", "66"),
      ("f32:1.5", "0000c03f"), ("sfloat:36.6", "6ef1"), ("i8:-1", "ff"), ("de:ad:be:ef", "deadbeef"),
    ])
  func bytes(text: String, hex: String) throws {
    #expect(try ValueArgument(parsing: text) == .bytes(#require(Hex.bytes(hex))))
  }

  @Test(
    "A text that is not a value is refused by name",
    arguments: [
      ("", "'' is empty; for no bytes use 'hex:'"), ("  ", "'  ' is empty; for no bytes use 'hex:'"),
      ("f", "'f' has an odd number of hexadecimal digits"),
      ("f03", "'f03' has an odd number of hexadecimal digits"),
      ("f0:3", "'f0:3' has an odd number of hexadecimal digits"),
      ("f0 3", "'f0 3' has an odd number of hexadecimal digits"),
      ("0x", "'0x' is not hexadecimal"), ("hello", "'hello' is not hexadecimal; for text use utf8:hello"),
      ("crc16", "'crc16' is not hexadecimal; did you mean crc16-modbus, or crc16-ccitt?"),
      (
        "crc9",
        "'crc9' is not hexadecimal; the checksums are xor8 sum8 crc8 crc16-modbus crc16-ccitt crc32"
      ), ("summer", "'summer' is not hexadecimal; for text use utf8:summer"),
      ("aa0101xor8", "'aa0101xor8' is not hexadecimal; put a blank before xor8"),
      ("aa01crc16-modbusbe", "'aa01crc16-modbusbe' is not hexadecimal; put a blank before crc16-modbusbe"),
      ("hello you", "'hello you' is not hexadecimal; for text use 'utf8:TEXT'"),
      ("f0:", "'f0:' is not hexadecimal"),
      (":f0", "':f0' is not hexadecimal"), ("f0::3d", "'f0::3d' is not hexadecimal"),
      ("f0-3d", "'f0-3d' is not hexadecimal"),
      ("@", "'@' does not name a file"), ("u8:256", "'256' does not fit u8, which holds 0 to 255"),
      ("\u{1b}[2J", #"'\u{1b}[2J' is not hexadecimal; for text use 'utf8:TEXT'"#),
    ])
  func refused(text: String, message: String) {
    let error = #expect(throws: ArgumentError.self) { try ValueArgument(parsing: text) }
    #expect(error?.description == message)
  }

  @Test("Fields are one value, also if a shell has split them")
  func fields() throws {
    let words = try ["sensor_contact=yes", "heart_rate_bpm=79"].map { try ValueArgument(parsing: $0) }
    #expect(words == [.fields("sensor_contact=yes"), .fields("heart_rate_bpm=79")])
    let measurement = AttributeIdentity(.heartRateMeasurement)
    #expect(try ValueSource.bytes(words, for: measurement) == [0x06, 79])
    let typed = try ValueSource.typedBytes("heart_rate_bpm=79", for: measurement)
    #expect(typed == [0x00, 79])
    // A value of another kind between them ends the fields.
    let level = AttributeIdentity(.batteryLevel)
    let mixed = try ["battery_level_percent=1", "02", "battery_level_percent=3"].map {
      try ValueArgument(parsing: $0)
    }
    #expect(try ValueSource.bytes(mixed, for: level) == [1, 2, 3])
    let error = #expect(throws: ArgumentError.self) {
      try ValueSource.typedBytes("rate=1", for: AttributeIdentity(BluetoothUUID(short: 0xffe1)))
    }
    #expect(
      error?.description
        == "'rate=1' needs a characteristic whose fields are known, and those of ffe1 are not")
  }

  @Test(
    "A view of values is a format, or a layout with fields",
    arguments: [
      ("u16", "u16", ["value"]), ("auto", "auto", []), ("u16 x=u8", "auto", ["value_1", "x"]),
      ("i16*0.01°C", "auto", ["value_celsius"]), ("utf8[4]", "auto", ["value"]),
    ])
  func views(_ text: String, _ format: String, _ keys: [String]) throws {
    let view = try ValueView(parsing: text)
    #expect(view.format.word == format)
    #expect(view.meaning(insteadOf: nil)?.keys ?? [] == keys)
  }

  @Test("A view that is neither is refused with the wrong word")
  func wrongView() {
    let error = #expect(throws: ArgumentError.self) { try ValueView(parsing: "u16 u61*2") }
    #expect(error?.description == "'u61*2' has u61, which is not a format; did you mean u16, or u64?")
    let word = #expect(throws: ArgumentError.self) { try ValueView(parsing: "u61") }
    #expect(word?.description == "'u61' is not a format; did you mean u16, or u64?")
  }

  @Test("A word that is not a format is refused with one that is")
  func unknownFormat() {
    let error = #expect(throws: ArgumentError.self) { try ValueArgument(parsing: "u17:5") }
    #expect(error?.description.hasPrefix("'u17' is not a format; did you mean u16?") == true)
  }

  @Test("A checksum is one of all the bytes before it, and needs some")
  func checksums() throws {
    let words = try ["33", "u8:1", "01", "xor8", "crc16-modbusbe"].map { try ValueArgument(parsing: $0) }
    #expect(try Hex.string(ValueSource.bytes(words, for: nil)) == "33010133251f")
    let reason = "'xor8' is a checksum of the bytes before it, and there are none"
    let error = #expect(throws: CommandError.self) { try ValueSource.bytes([words[3]], for: nil) }
    #expect(error?.message == "cannot encode the value: \(reason)")
    let inList = #expect(throws: ArgumentError.self) { try ValueSource.typedBytes("xor8", for: nil) }
    #expect(inList?.description == reason)
  }

  @Test("Standard input and files are read only when the bytes are wanted")
  func sources() throws {
    let input = try ValueArgument(parsing: "-")
    let file = try ValueArgument(parsing: "@/tmp/a:b")
    #expect(input == .standardInput)
    #expect(file == .file("/tmp/a:b"))
    let bytes = [input, file, .bytes([9])].map { value in
      value.bytes(
        checksum: { _ in [] }, standard: { Array($0.utf8) }, standardInput: { [1, 2] },
        file: { path in Array(path.utf8) })
    }
    #expect(bytes == [[1, 2], Array("/tmp/a:b".utf8), [9]])
    #expect(try ValueArgument(parsing: "auto:high:er") == .standard("high:er"))
    #expect(throws: ArgumentError.self) {
      try file.bytes(
        checksum: { _ throws(ArgumentError) in [] },
        standard: { text throws(ArgumentError) in Array(text.utf8) },
        standardInput: { () throws(ArgumentError) in [] },
        file: { path throws(ArgumentError) in throw ArgumentError(path, "cannot be read") })
    }
  }

  @Test("Random bytes are read back from any way of writing them")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 21)
    for length in 1..<60 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let pairs = bytes.map { Hex.string([$0]) }
      for text in [
        pairs.joined(), pairs.joined(separator: ":"), pairs.joined(separator: " "),
        "0x" + pairs.joined().uppercased(),
        "base64:" + Base64.string(bytes), "u8:" + bytes.map(\.description).joined(separator: ","),
      ] {
        #expect(try ValueArgument(parsing: text) == .bytes(bytes), "\(text)")
      }
    }
  }
}

@Suite("DurationArgument")
struct DurationArgumentTests {
  @Test(
    "A duration is a number and a unit; the default unit is seconds",
    arguments: [
      ("500ms", Duration.milliseconds(500)), ("10s", .seconds(10)), ("2m", .seconds(120)),
      ("1h", .seconds(3600)), ("1d", .seconds(86_400)),
      ("20", .seconds(20)), ("1.5s", .milliseconds(1500)), ("0.1", .milliseconds(100)),
      ("0.5h", .seconds(1800)),
      ("0.25ms", .microseconds(250)), ("0.000000001s", .nanoseconds(1)),
      ("9999999999h", .seconds(35_999_999_996_400)),
    ])
  func durations(text: String, duration: Duration) throws {
    #expect(try DurationArgument(parsing: text).limit == duration)
  }

  @Test("Zero of any unit means no limit", arguments: ["0", "0s", "0ms", "0.0m", "00h"])
  func noLimit(text: String) throws {
    #expect(try DurationArgument(parsing: text).limit == nil)
  }

  @Test(
    "Text that is not a duration is refused",
    arguments: [
      "", "s", "ms", ".", ".5", "5.", "-", "+1", "1w", "1 s", " 1s", "1S", "1s ", "1e3", "1,5s", "1.2.3s",
      "1h30m",
      "10000000000h", "0.0000000001s", "٣s", "½", "nan", "inf",
    ])
  func refused(text: String) {
    let error = #expect(throws: ArgumentError.self) { try DurationArgument(parsing: text) }
    #expect(
      error?.description == "'\(text)' is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit")
  }

  @Test("A negative duration is refused as such", arguments: ["-1", "-1s", "-0.5m"])
  func negative(text: String) {
    let error = #expect(throws: ArgumentError.self) { try DurationArgument(parsing: text) }
    #expect(error?.description == "'\(text)' is negative, which no duration is")
  }

  @Test(
    "A duration is shown as people write it",
    arguments: [
      (Duration.milliseconds(500) as Duration?, "500ms"), (.seconds(20), "20s"), (.seconds(90), "90s"),
      (.seconds(120), "2m"), (.seconds(7200), "2h"), (.milliseconds(1500), "1500ms"), (nil, "0"),
    ])
  func descriptions(limit: Duration?, text: String) throws {
    #expect(DurationArgument(limit).description == text)
    #expect(try DurationArgument(parsing: text).limit == limit)
  }
}
