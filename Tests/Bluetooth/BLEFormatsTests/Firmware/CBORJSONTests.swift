// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON
internal import Testing

@Suite("CBOR as JSON")
struct CBORJSONTests {
  private func value(_ text: String) throws(JSONError) -> CBORValue {
    try CBORValue(json: try JSONReader.read(text.utf8))
  }

  private func text(_ value: CBORValue) -> String {
    var json = JSONWriter()
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test(
    "A value is written as the JSON that gives it",
    arguments: [
      ("null", .null), ("true", true), ("0", 0), ("-1", -1), ("24", 24), ("\"a\"", "a"), ("[1,[]]", [1, []]),
      ("18446744073709551615", .unsigned(.max)), ("-18446744073709551616", .negative(.max)),
      ("1.5", .float(1.5)), ("2.0", .float(2)), ("{\"$hex\":\"00ff\"}", .bytes([0, 0xff])),
      ("{\"$tag\":[1,5]}", .tagged(1, 5)), ("{\"$undefined\":true}", .undefined),
      ("{\"$float\":\"-inf\"}", .float(-.infinity)),
      ("{\"$map\":[[1,\"one\"],[2,\"two\"]]}", [1: "one", 2: "two"]),
      ("{\"$map\":[[\"$hex\",1]]}", ["$hex": 1]),
      ("{\"b\":1,\"a\":{\"$hex\":\"\"}}", ["b": 1, "a": .bytes([])]),
    ] as [(String, CBORValue)])
  func roundTrip(_ json: String, _ expected: CBORValue) throws {
    let read = try value(json)
    #expect(read == expected)
    #expect(text(expected) == json)
  }

  @Test("A number that is none is written, too, and a key that is there twice")
  func oddities() throws {
    #expect(text(.float(.nan)) == "{\"$float\":\"nan\"}")
    let twice: CBORMap = ["a": 1, "a": 2]
    #expect(text(.map(twice)) == "{\"$map\":[[\"a\",1],[\"a\",2]]}")
    #expect(try value("-0") == 0 && value("1e3") == .float(1000))
  }

  @Test(
    "An object that means nothing is refused, at its place",
    arguments: [
      ("{\"a\":{\"$hex\":\"0\"}}", "1:14: /a/$hex: expected bytes in hexadecimal, found \"0\""),
      ("{\"$tag\":[1]}", "1:9: /$tag: expected [TAG, VALUE], found an array"),
      ("{\"$map\":[[1]]}", "1:10: /$map/0: expected [KEY, VALUE], found an array"),
      ("{\"$float\":\"x\"}", "1:11: /$float: expected nan, inf or -inf, found \"x\""),
      ("{\"$bytes\":\"00\"}", "means nothing alone in an object"),
      ("18446744073709551616", "1:1: expected an integer of at most 64 bits"),
      ("-18446744073709551617", "1:1: expected an integer of at most 64 bits"),
    ])
  func refused(_ json: String, _ message: String) throws {
    let error = #expect(throws: JSONError.self) { _ = try value(json) }
    #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
  }
}
