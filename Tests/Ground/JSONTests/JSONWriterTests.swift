// SPDX-License-Identifier: MIT
import FoundationEssentials
import TestSupport
import Testing

@testable import JSON

// Foundation is here, and nowhere else, as a reader of JSON that we did not write.
@Suite("JSONWriter")
struct JSONWriterTests {
  @Test("A record has its keys in the order given, and nothing for what is absent")
  func record() throws {
    var json = JSONWriter()
    let name: String? = nil
    json.object { record in
      record.field("event", "found")
      record.field("name", name)
      record.field("rssi", -60)
      record.field("connected", false)
      record.array("services") { list in
        list.value("0000180d-0000-1000-8000-00805f9b34fb")
        list.value("x")
      }
      record.object("manufacturer_data") { $0.field("0157", hex: [0xaa, 0xbb] as [UInt8]) }
      record.object("empty") { _ in }
      record.array("none") { _ in }
      record.field("numbers", [1, 2, 3])
      record.field("distance", 0.1)
      record.field("value", hex: [UInt8]?.none)
    }
    json.endRecord()
    json.object { $0.field("a", 1) }
    json.endRecord()
    #expect(
      String(decoding: json.bytes, as: UTF8.self) == """
        {"event":"found","rssi":-60,"connected":false,"services":["0000180d-0000-1000-8000-00805f9b34fb","x"],\
        "manufacturer_data":{"0157":"aabb"},"empty":{},"none":[],"numbers":[1,2,3],"distance":0.1}
        {"a":1}

        """)
  }

  @Test("Arrays of arrays and of objects have their commas")
  func nested() {
    var json = JSONWriter()
    json.array { list in
      list.array { $0.value(1) }
      list.array { _ in }
      list.object { $0.field("k", true) }
      list.object { _ in }
    }
    #expect(String(decoding: json.bytes, as: UTF8.self) == #"[[1],[],{"k":true},{}]"#)
    json.removeAll()
    json.value("again")
    #expect(String(decoding: json.bytes, as: UTF8.self) == #""again""#)
  }

  @Test(
    "Characters that would break the line or the terminal are escaped",
    arguments: [
      ("", #""""#), (#"a"b\c"#, #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
      ("\u{0}\u{1b}\u{7f}", #""\u0000\u001b\u007f""#),
      ("\u{9b}\u{202e}\u{2028}", #""\u009b\u202e\u2028""#), ("\u{e0041}", #""\udb40\udc41""#),
      ("é漢😀/", #""é漢😀/""#), ("\u{8}\u{c}", #""\u0008\u000c""#),
    ])
  func escapes(text: String, literal: String) {
    var json = JSONWriter()
    json.value(text)
    #expect(String(decoding: json.bytes, as: UTF8.self) == literal)
  }

  @Test(
    "Numbers are the shortest that read back",
    arguments: [
      (0.0, "0.0"), (-0.5, "-0.5"), (36.6, "36.6"), (1e-7, "1e-07"), (1e21, "1e+21"), (.nan, "null"),
      (.infinity, "null"), (.leastNonzeroMagnitude, "5e-324"),
    ])
  func numbers(value: Double, literal: String) {
    var json = JSONWriter()
    json.value(value)
    #expect(String(decoding: json.bytes, as: UTF8.self) == literal)
  }

  @Test("Any text, as key and as value, is read back by another implementation")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<500 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let limit: UInt32 = Bool.random(using: &random) ? 0xff : 0x10_ffff
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) { text.append(scalar) }
      }
      let string = String(text)
      let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
      var json = JSONWriter()
      json.object { record in
        record.field(string, string)
        record.field("\(string)!", Int.random(in: Int.min...Int.max, using: &random))
      }
      json.endRecord()
      let line = json.bytes
      #expect(line.filter { $0 < 0x20 } == [0x0a])
      let decoded = try JSONDecoder().decode([String: JSONScalar].self, from: Data(line))
      #expect(decoded[string].map { Array($0.text.unicodeScalars) } == Array(string.unicodeScalars))
      guard number.isFinite else { continue }
      json.removeAll()
      json.array { $0.value(number) }
      #expect(try JSONDecoder().decode([Double].self, from: Data(json.bytes)) == [number])
    }
  }

  /// A text or a number.
  private struct JSONScalar: Decodable {
    var text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try (try? container.decode(String.self)) ?? String(container.decode(Int.self))
    }
  }
}
