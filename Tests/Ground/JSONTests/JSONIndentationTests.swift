// SPDX-License-Identifier: MIT
import Testing

@testable import JSON

@Suite("JSON indentation")
struct JSONIndentationTests {
  @Test("Short objects stand on one line, and others are indented")
  func whatShortStands() {
    var json = JSONWriter(layout: .indented)
    json.object { json in
      json.field("version", 1)
      json.object("empty") { _ in }
      json.array("list") { json in
        json.object { json in
          json.field("uuid", "180d")
          json.field("properties", ["read", "notify"])
        }
        json.object { json in
          json.field("value", hex: [UInt8](repeating: 0xab, count: 50))
          json.field("n", 2)
        }
      }
    }
    json.endRecord()
    #expect(
      String(decoding: json.bytes, as: UTF8.self) == """
        {
          "version": 1,
          "empty": {},
          "list": [
            {"uuid": "180d", "properties": ["read", "notify"]},
            {
              "value": "\(String(repeating: "ab", count: 50))",
              "n": 2
            }
          ]
        }

        """)
  }

  @Test("Spaces and line breaks within texts stay")
  func spacesLineBreaks() {
    var json = JSONWriter(layout: .indented)
    json.object { $0.field("a", ["x  y,\n  z"]) }
    #expect(String(decoding: json.bytes, as: UTF8.self) == "{\n  \"a\": [\"x  y,\\n  z\"]\n}")
  }
}
