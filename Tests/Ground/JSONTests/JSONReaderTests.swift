// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import JSON

@Suite("JSON reader")
struct JSONReaderTests {
  @Test("Every kind of value is read, in the order of the text")
  func everyKindValue() throws {
    let node = try read(#"{"b":[1,-2.5e3,true,false,null],"a":{},"c":"\u0041\n\ud83d\ude00é"}"#)
    #expect(node.members?.map(\.key) == ["b", "a", "c"])
    let elements = try #require(node["b"]?.elements)
    #expect(elements.map(\.summary) == ["1", "-2.5e3", "true", "false", "null"])
    #expect(node["a"]?.content == .object([]))
    #expect(node["c"]?.string == "A\n😀é")
  }

  @Test("A value knows its line, its column and its pointer")
  func valueKnowsLine() throws {
    let node = try read("{\n  \"é\": \"ü\", \"a/b~\": [0,\n\t7]\n}")
    #expect(node.place == JSONPlace(line: 1, column: 1))
    #expect(node["é"]?.place == JSONPlace(line: 2, column: 8))
    let last = try #require(node["a/b~"]?.elements?.last)
    #expect(last.place == JSONPlace(line: 3, column: 2))
    #expect("\(last.pointer)" == "/a~1b~0/1")
    #expect("\(JSONError(last, "no"))" == "3:2: /a~1b~0/1: no")
  }

  @Test(
    "A number is a whole one when it has no fraction",
    arguments: [
      ("0", 0), ("-7", -7), ("1.0", 1), ("1e3", 1000), ("9223372036854775807", Int.max), ("0.5", nil),
      ("1e400", nil), ("9223372036854775808", nil), ("-0", 0),
    ])
  func numberWholeOne(_ text: String, _ integer: Int?) throws {
    #expect(try read(text).integer == integer)
  }

  @Test(
    "Text that is not JSON is refused with the place",
    arguments: [
      ("", "1:1: expected a value, found the end of the text"),
      ("\u{feff}[1,]", "1:4: /1: expected a value, found \"]\""),
      ("[\u{feff}1]", "1:2: /0: expected a value, found \"\\ufeff\""),
      ("[1,]", "1:4: /1: expected a value, found \"]\""),
      ("[1 2]", "1:4: expected \",\" or \"]\", found \"2\""),
      ("{\"a\" 1}", "1:6: /a: expected \":\", found \"1\""),
      ("{a:1}", "1:2: expected a key in quotes, found \"a\""),
      ("{\"a\":1,}", "1:8: expected a key in quotes, found \"}\""),
      ("{\"a\":1 \"b\":2}", "1:8: expected \",\" or \"}\", found \"\\\"\""),
      ("{\"a\":1,\n\"a\":2}", "2:1: /a: expected each key once, found \"a\" again (first at 1:2)"),
      ("01", "1:2: expected the end of the text, found \"1\""),
      ("-", "1:2: expected a digit, found the end of the text"),
      ("1.", "1:3: expected a digit, found the end of the text"),
      ("1e+x", "1:4: expected a digit, found \"x\""), ("+1", "1:1: expected a value, found \"+\""),
      (".5", "1:1: expected a value, found \".\""), ("nul", "1:1: expected a value, found \"n\""),
      ("// x", "1:1: expected a value, found \"/\""), ("'a'", "1:1: expected a value, found \"'\""),
      ("\"a\nb\"", "1:3: expected no control character within a text, found the control character U+000a"),
      ("\"a", "1:3: expected \"\\\"\" at the end of a text, found the end of the text"),
      (#""\x""#, "1:2: expected an escape such as \\n or \\u00e9, found another"),
      (#""\u12g4""#, "1:6: expected four hexadecimal digits after \\u, found \"g\""),
      (#""\ud83d""#, "1:2: expected two halves of a surrogate pair, found one"),
      (#""\ude00""#, "1:2: expected two halves of a surrogate pair, found one"),
      (#""\ud83d\u0041""#, "1:2: expected two halves of a surrogate pair, found one"),
      ("[\n  \u{1b}]", "2:3: /0: expected a value, found the control character U+001b"),
    ])
  func whatNoJSON(_ text: String, _ error: String) {
    #expect(failure(Array(text.utf8)) == error)
  }

  @Test(
    "Bytes that are not UTF-8 are refused",
    arguments: [
      [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82],
    ])
  func bytesNoUTF8(_ bytes: [UInt8]) {
    #expect(failure(bytes) == "1:2: expected UTF-8")
  }

  @Test("Nothing lies deeper than the limit")
  func nothingLiesDeeper() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(try read(deep).elements?.count == 1)
    #expect(
      failure(Array("[\(deep)]".utf8))?.hasSuffix("expected at most 64 arrays and objects within each other")
        == true)
    #expect(failure(Array(repeating: UInt8(ascii: "["), count: 1_000_000)) != nil)
  }

  @Test("A key that comes twice is found in large objects too", arguments: [2, 15, 16, 17, 40], [0, 1])
  func twins(_ count: Int, _ first: Int) {
    let members = (0..<count).map { "\"k\($0)\":0" } + ["\"k\(first)\":0"]
    let place = first == 0 ? 2 : 9
    #expect(
      failure(Array("{\(members.joined(separator: ","))}".utf8))?
        .hasSuffix("/k\(first): expected each key once, found \"k\(first)\" again (first at 1:\(place))")
        == true)
  }

  @Test("The reader reads back what the writer wrote, in both layouts")
  func whatWriterWrites() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let tree = tree(depth: 4, &random)
      for layout in [JSONWriter.Layout.line, .indented] {
        var json = JSONWriter(layout: layout)
        tree.write(to: &json)
        #expect(Tree(try JSONReader.read(json.bytes)) == tree)
      }
    }
  }

  private func read(_ text: String) throws -> JSONNode { try JSONReader.read(text.utf8) }

  private func failure(_ bytes: [UInt8]) -> String? {
    do throws(JSONError) {
      _ = try JSONReader.read(bytes)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private indirect enum Tree: Equatable {
    case text(String), number(Int), list([Tree]), fields([String: Tree])

    init(_ node: JSONNode) {
      switch node.content {
      case .string(let text): self = .text(text)
      case .array(let elements): self = .list(elements.map { Tree($0) })
      case .object(let members):
        self = .fields(Dictionary(uniqueKeysWithValues: members.map { ($0.key, Tree($0.value)) }))
      default: self = .number(node.integer ?? .min)
      }
    }

    func write(to json: inout JSONWriter) {
      switch self {
      case .text(let text): json.value(text)
      case .number(let number): json.value(number)
      case .list(let elements): json.array { json in for element in elements { element.write(to: &json) } }
      case .fields(let fields):
        json.object { json in
          for (key, value) in fields {
            json.key(key)
            value.write(to: &json)
          }
        }
      }
    }
  }

  private func tree(depth: Int, _ random: inout SeededGenerator) -> Tree {
    switch Int.random(in: 0..<(depth == 0 ? 2 : 4), using: &random) {
    case 0:
      return .text(
        String(
          String.UnicodeScalarView(
            (0..<5).compactMap { _ in
              Unicode.Scalar(UInt32.random(in: 0...0x1_ffff, using: &random))
            })))
    case 1: return .number(Int.random(in: -1000...1000, using: &random))
    case 2:
      return .list(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in self.tree(depth: depth - 1, &random) })
    default:
      return .fields(
        Dictionary(
          uniqueKeysWithValues: (0..<Int.random(in: 0...4, using: &random)).map {
            ("key \($0)", self.tree(depth: depth - 1, &random))
          }))
    }
  }
}
