// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats

@Suite("Compact layout")
struct CompactLayoutTests {
  /// What `KEY=VALUE …` shows, with problems and what is left over.
  private static func decoded(_ layout: ValueLayout, _ hex: String) -> String {
    let decoded = layout.decode(Hex.bytes(hex) ?? [])
    var words = decoded.fields.map { "\($0.key)=\($0.value.text)" }
    words += decoded.problems.map { "(\($0))" }
    if !decoded.rest.isEmpty { words.append("rest \(Hex.string(decoded.rest))") }
    return words.joined(separator: " ")
  }

  @Test(
    "Bytes are decoded by a text",
    arguments: [
      ("u16", "e803", "value=1000"),
      ("u16 u8*0.5 i16", "e80303feff", "value_1=1000 value_2=1.5 value_3=-2"),
      ("u16,u8*0.5,\ti16", "e80303feff", "value_1=1000 value_2=1.5 value_3=-2"),
      ("temperature=i16*0.01°C", "3408", "temperature_celsius=21.00"),
      ("temperature_celsius=i16*0.01°C", "3408", "temperature_celsius=21.00"),
      ("t=i8/340+36.53°C", "00", "t_celsius=36.530"),
      ("t=i16/340+36.53°C", "aef6", "t_celsius=29.512"),
      ("x=u8*3.3/4096V", "ff", "x_v=0.2054"),
      ("x=u8/4", "03", "x=0.75"), ("x=u8/256", "80", "x=0.500"), ("x=u8/100", "05", "x=0.05"),
      ("x=u8/3", "02", "x=0.7"),
      ("x=u8*10", "07", "x=70"), ("x=u8*1e3", "07", "x=7000"), ("x=u8*1e-3kg", "07", "x_kg=0.007"),
      ("x=u8-40°C", "0a", "x_celsius=-30"), ("x=u8*0.5-40°C", "03", "x_celsius=-38.5"),
      ("x=u8*-1dBm", "3c", "x_dbm=-60"), ("x=u8*2eV", "02", "x_ev=4"),
      ("battery=u8% load=u16mV", "61940b", "battery_percent=97 load_mv=2964"),
      ("rate=u8/min", "48", "rate_per_minute=72"), ("rate=u8/2/min", "91", "rate_per_minute=72.5"),
      ("a=u16be b=i24be c=u32be", "0102fffffe00010000", "a=258 b=-2 c=65536"),
      ("a=u64", "ffffffffffffff7f", "a=9223372036854775807"),
      ("a=u64", "ffffffffffffffff", "a=18446744073709551615"),
      ("a=u64be", "0000000000000001", "a=1"), ("a=i64", "ffffffffffffffff", "a=-1"),
      ("a=u64*0.001s", "ffffffffffffffff", "a_s=18446744073709551.62"),
      ("a=f32 b=f64be", "0000c03f3ff8000000000000", "a=1.5 b=1.5"), ("a=f32be", "7fc00000", "a=nan"),
      ("a=f32*3.6km/h", "0000c03f", "a_km_per_h=5.40"), ("a=f32*2+1", "0000c03f", "a=4.0"),
      ("a=sfloat b=float", "6ef0da0300ff", "a=11.0 b=98.6"), ("a=sfloat*0.1", "6ef0", "a=1.10"),
      ("on=bool", "01", "on=yes"), ("on=bool", "02", "(on 2 is neither yes nor no)"),
      ("name=utf8", "6869", "name=hi"), ("name=utf8[4] n=u8", "6869000005", "name=hi n=5"),
      ("name=utf8[u8] n=u8", "02686905", "name=hi n=5"),
      ("id=hex[3] tail=hex", "0102030405", "id=010203 tail=0405"), ("data=base64", "f03d", "data=8D0="),
      ("v=f32[2]", "0000803f00000040", "v=1.0 2.0"), ("v=u16[]", "01000200", "v=1 2"), ("v=u16[]", "", "v="),
      ("n=u8 v=i16be[]*0.1", "05000affff", "n=5 v=1.0 -0.1"),
      ("v=u16[u8] n=u8", "020100020009", "v=1 2 n=9"), ("v=u8[u16be]", "000201ff", "v=1 255"),
      ("v=bool[2]", "0100", "v=yes, no"), ("a=u8 _[2] b=u8", "01eeee02", "a=1 b=2"),
      ("a=u8 _", "01ee", "a=1"), ("head=hex[2] on=bool xor8", "33010133", "head=3301 on=yes"),
      ("a=u8 crc16-modbusbe", "01807e", "a=1"), ("u8[2] sum8", "010203", "value=1 2"),
      ("u8[2] sum8", "010204", "value=1 2 (the sum8 is 04, and should be 03)"),
      ("a=u8 crc16-ccitt", "01f1", "a=1 (1 byte missing for crc16-ccitt) rest f1"),
      ("a=u8 _[]", "01eeeeee", "a=1"),
      ("at=unix", "5bcf606a", "at=2026-07-22T14:10:35Z"),
      ("at=unixbe", "6a60cf5b", "at=2026-07-22T14:10:35Z"),
      ("at=unix64", "0000000000000000", "at=1970-01-01T00:00:00Z"),
      ("at=unixms", "e803000000000000", "at=1970-01-01T00:00:01.000Z"),
      ("at=unix64", "ffffffffffffffff", "at=18446744073709551615 (at is out of range)"),
      ("at=datetime", "ea070b15050607", "at=2026-11-21T05:06:07"),
      ("a=u8 b=u16", "0102", "a=1 (1 byte missing for b) rest 02"), ("a=u8", "0102", "a=1 rest 02"),
      ("v=u16[2]", "010002", "(1 byte missing for v) rest 010002"),
      ("v=u16[u8] n=u8", "0201", "(3 bytes missing for v) rest 0201"),
      ("a=u8 _[2] b=u8", "01ee", "a=1 (1 byte missing for bytes without a meaning) rest ee"),
      ("s=utf8[u8]", "", "(1 byte missing for s)"), ("v=u16[]", "010002", "v=1 rest 02"),
    ])
  func decodes(_ text: String, _ hex: String, _ expected: String) throws {
    let decoded = Self.decoded(try ValueLayout(compact: text), hex)
    #expect(decoded == expected)
  }

  @Test(
    "A text without a description is shown as people write it",
    arguments: [
      ("u16 u8*0.5 i16", "e80303feff", "1000, 1.5, -2"), ("temperature=i16*0.01°C", "3408", "21.00 °C"),
      ("ax=i16 battery_level=u8%", "010061", "ax 1, battery level 97 %"),
      ("at=unix", "5bcf606a", "2026-07-22 14:10:35 UTC"), ("v=i8[3]g", "01ff02", "1 -1 2 g"),
    ])
  func shows(_ text: String, _ hex: String, _ expected: String) throws {
    let shown = try ValueLayout(compact: text).decode(try #require(Hex.bytes(hex))).text
    #expect(shown == expected)
  }

  @Test(
    "Texts become bytes, by the key or by the name without the unit",
    arguments: [
      ("u16", "1000", "e803"), ("u16 u8*0.5", "value_1=1000 value_2=1.5", "e80303"),
      ("temperature=i16*0.01°C", "21.5", "6608"), ("temperature=i16*0.01°C", "temperature=21.5", "6608"),
      ("temperature=i16*0.01°C", "temperature_celsius=21.5", "6608"),
      ("a=u16be b=u64be", "b=18446744073709551615 a=258", "0102ffffffffffffffff"),
      ("a=i64", "-9223372036854775808", "0000000000000080"), ("x=u8*0.5-40°C", "-38.5", "03"),
      ("t=i16/340+36.53°C", "29.512", "aef6"), ("x=u8*-1dBm", "-60", "3c"),
      ("a=f32*3.6km/h", "5.4", "0000c03f"),
      ("a=f32*2+1", "4", "0000c03f"), ("a=sfloat*0.1", "1.1", "0b00"), ("on=bool", "true", "01"),
      ("on=bool", "no", "00"), ("name=utf8[4] n=u8", "name=hi n=5", "6869000005"),
      ("name=utf8[u8] n=u8", "name=hi you n=5", "06686920796f7505"), ("v=u16[u8]", "1,2", "0201000200"),
      ("v=i16be[]", "1,-1", "0001ffff"), ("v=f32[2]", "1, 2", "0000803f00000040"),
      ("v=bool[2]", "yes,no", "0100"),
      ("a=u8 _[2] b=u8", "a=1 b=2", "01000002"), ("a=u8 _[]", "1", "01"),
      ("data=base64[u8]", "8D0=", "02f03d"),
      ("at=unix", "2026-07-22T14:10:35Z", "5bcf606a"), ("at=unix", "2026-07-22 14:10:35", "5bcf606a"),
      ("at=unix", "1784729435", "5bcf606a"), ("at=unixms", "1970-01-01T00:00:01.250Z", "e204000000000000"),
      ("at=unix", "now", "af18016b"), ("at=unixms", "now", "8c6d48fca1010000"),
    ])
  func encodes(_ layout: String, _ text: String, _ hex: String) throws {
    let now = CivilTime(
      year: 2026, month: 11, day: 21, hour: 5, minute: 6, second: 7, fractions: 128, zoneQuarters: 4)
    let bytes = Hex.string(try ValueLayout(compact: layout).encode(text, at: now))
    #expect(bytes == hex)
  }

  @Test(
    "A value that does not fit is refused with a reason",
    arguments: [
      ("u16", "65536", "'65536' is out of range: 0 to 65535 (value)"),
      (
        "u64", "18446744073709551616",
        "'18446744073709551616' is out of range: 0 to 18446744073709551615 (value)"
      ),
      ("x=u8*0.5-40°C", "100", "'100' is out of range: -40.0 to 87.5 (x_celsius)"),
      ("x=u8*-1", "1", "'1' is out of range: -255 to 0 (x)"), ("x=u8", "two", "'two' is not a number (x)"),
      ("v=u16[2]", "1", "'1' has 1 element; v takes 2 (v)"),
      (
        "v=u8[u8]", Array(repeating: "1", count: 256).joined(separator: ","),
        "has 256 elements; v takes at most 255 (v)"
      ),
      ("id=hex[3]", "0102", "'0102' has 2 bytes; id takes 3 (id)"),
      ("d=base64", "?", "'?' is not base64 (d)"),
      ("at=unix", "1969-12-31T23:59:59", "'1969-12-31T23:59:59' does not fit 4 bytes (at)"),
      ("at=unix", "2026-02-30T00:00:00", "'2026-02-30T00:00:00' is no day of the calendar (at)"),
      ("at=unix", "soon", "'soon' is no time; write it like 2026-11-21T05:15:23Z, in UTC (at)"),
      ("a=u8 b=u8", "1", "'1' is not KEY=VALUE; the keys are a, b"),
      ("a=u8 b=u8", "a=1", "'a=u8 b=u8' needs b"),
      ("a=u8 b=u8", "a=1 b=2 c=3", "'c' is no field of the layout; there are a, b"),
      ("speed=u8 level=u8", "speed=1 levl=2", "'levl' is no field of the layout; did you mean level?"),
      ("speed=u8 level=u8", "sped=1 level=2", "'sped' is no field of the layout; did you mean speed?"),
      ("speed=u8", "sped=1", "'sped' is no field of the layout; did you mean speed?"),
      ("level=u8 tag=utf8", "tag=lamp levl=2", "'levl' is no field of the layout; did you mean level?"),
    ])
  func refuses(_ layout: String, _ text: String, _ message: String) throws {
    let layout = try ValueLayout(compact: layout)
    let error = #expect(throws: FormatError.self) { try layout.encode(text) }
    let shown = try #require(error).description
    #expect(shown.hasSuffix(message))
  }

  @Test("A text may contain what looks like a field, if it resembles none that is missing")
  func textWithEquals() throws {
    let layout = try ValueLayout(compact: "level=u8 tag=utf8")
    #expect(try layout.encode("level=1 tag=1+1=2 x=y levl=3") == [1] + Array("1+1=2 x=y levl=3".utf8))
    #expect(try layout.encode("tag=x=y level=1") == [1] + Array("x=y".utf8))
    #expect(try ValueLayout(compact: "tag=utf8").encode("x=y") == Array("x=y".utf8))
  }

  @Test(
    "A mistake is told with the wrong word",
    arguments: [
      ("", "'' has no field; write one like temperature=i16*0.01°C"),
      ("u16 u61", "'u61' is not a format; did you mean u16, or u64?"),
      ("u16 x=u61*2", "'x=u61*2' has u61, which is not a format; did you mean u16, or u64?"),
      ("u16 zzzzzzzzzzzz", "'zzzzzzzzzzzz' is not a format; the formats are "),
      (
        "n=u32 crc16",
        "'crc16' is not a format; did you mean crc16-modbus, or crc16-modbusbe, or crc16-ccitt, or crc16-ccittbe?"
      ),
      ("a=i16 *0.001 g", "'*0.001' belongs to the field before it, without a blank: a=i16*0.001g"),
      ("a=i16*0.001 g", "'g' belongs to the field before it, without a blank: a=i16*0.001g"),
      ("x=", "'x=' has no format; write one like i16"), ("x=*2", "'x=*2' has no format; write one like i16"),
      ("u88", "'u88' is not a format; did you mean u8?"),
      ("x=i8e", "'x=i8e' has i8e, which is not a format; did you mean i8?"),
      ("u16bee*2", "'u16bee*2' has u16bee, which is not a format; did you mean u16be?"),
      ("u16x", "'u16x' ends with 'x', which is no usual unit; did you mean lx?"),
      ("u16le", "'u16le' ends with 'le', which is no usual unit; numbers are little-endian without it"),
      (
        "u16furlong",
        "'u16furlong' ends with 'furlong', which is no usual unit; write any other unit after a scale, *1furlong"
      ),
      ("u16mv", "'u16mv' ends with 'mv', which is no usual unit; did you mean mV?"),
      ("u16*", "'u16*' has no number as its scale"),
      ("u16*0", "'u16*0' has the scale 0, with which all numbers are equal"),
      ("u16*x", "'u16*x' has no number as its scale"),
      ("u16/0", "'u16/0' has a divisor that is not greater than 0"),
      (
        "u16*1*2",
        "'u16*1*2' has '*' at the wrong place; write NAME=FORMAT[COUNT]*SCALE/DIVISOR+OFFSET and the unit"
      ),
      ("u16+", "'u16+' has no number as its offset"), ("u16*1.", "'u16*1.' has no number as its scale"),
      ("u16*1e30", "'u16*1e30' has a scale that is too large or too small"),
      ("u16*1.2345678901234567", "'u16*1.2345678901234567' has a scale with too many digits"),
      ("f32/3", "'f32/3' is not an integer, so it is divided only where the quotient ends; use a scale"),
      (
        "u16[0]",
        "'u16[0]' has the count '0'; it is 1 to 512, u8, u16 or u16be, or nothing for all to the end"
      ),
      ("u16[513]", "'u16[513]' has the count '513'; it is "), ("u16[2", "'u16[2' has no ']' after its count"),
      ("u16[i8]", "'u16[i8]' has the count 'i8'; it is "),
      ("unix[2]", "'unix[2]' has a count, and is a single time"),
      ("utf8*2", "'utf8*2' has a scale, and is not a number"),
      ("hex°C", "'hex°C' has a unit, and is not a number"),
      ("utf8 u8", "'u8' follows value_1, which takes all bytes up to the end"),
      ("_[] u8", "'u8' follows a field, which takes all bytes up to the end"),
      ("a=u8 a=u8", "'a=u8' has the name 'a' of another field"),
      ("t=u8°C t_celsius=u8", "'t_celsius=u8' has the name 't_celsius' of another field"),
      (
        "Temp-1=u8",
        "'Temp-1=u8' has the name 'Temp-1', which is not of lower-case letters, digits and '_'; write temp_1"
      ),
      ("1=u8", "'1=u8' has the name '1', which is not of lower-case letters, digits and '_'"),
      ("a=u8 rest=u8", "'rest=u8' has the name 'rest', which has a meaning in JSON"),
      ("=u8", "'=u8' has the name '', which is not of lower-case letters, digits and '_'"),
      ("x=_", "'x=_' names bytes without a meaning; use hex to show them"),
      ("a=u64[64] b=u8", "'b=u8' ends at byte 513, and a value has at most 512"),
    ])
  func mistakes(_ text: String, _ message: String) throws {
    let error = #expect(throws: FormatError.self) { try ValueLayout(compact: text) }
    let shown = try #require(error).description
    #expect(shown.hasPrefix(message))
  }

  private static let layouts = [
    "u16", "u16 u8*0.5 i16", "t=i16/340+36.53°C b=u8% s=utf8[u8] v=i16be[]",
    "a=u64 b=i64be*0.001 c=f32be*2 d=f64",
    "a=sfloat*0.1 b=float c=bool[3] _[2] d=hex[u16be] at=unixms", "n=u8 v=f32[]", "x=u32/3+0.5",
    "v=u64[u8]*1e15 _[]",
    "a=i64*999999999999999 b=datetime c=unix64be d=base64",
  ]

  @Test("No bytes crash a layout, and what it decodes it encodes to the same meaning", arguments: layouts)
  func anyBytes(_ text: String) throws {
    let layout = try ValueLayout(compact: text)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let count = Int.random(in: 0...40, using: &generator)
      let bytes = (0..<count).map { _ in
        [UInt8(0), 0xff, 0x80, .random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
      }
      let decoded = layout.decode(bytes)
      guard decoded.isComplete, let encoded = try? layout.encode(decoded) else { continue }
      let again = layout.decode(encoded)
      #expect(again.fields == decoded.fields, "\(Hex.string(bytes))")
    }
  }

  @Test("Any text is a layout or a mistake that names a word of it")
  func anyText() {
    let pieces = [
      "u16", "x=", "*", "0.5", "[", "]", "/", "+", "-", "e", "°C", "_", " ", ",", "utf8", "unixms", "9",
      "\u{301}", "=",
      "f32be", "%", "1e400", ".",
    ]
    var generator = SeededGenerator(seed: 11)
    var made = 0
    for _ in 0..<1000 {
      let text = (0..<Int.random(in: 1...7, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      do throws(FormatError) {
        let layout = try ValueLayout(compact: text)
        made += 1
        _ = layout.decode(Array(repeating: 0xff, count: 64))
      } catch {
        #expect(text.contains(error.text))
      }
    }
    #expect(made > 20)
  }
}
