// SPDX-License-Identifier: MIT
import JSON
import TestSupport
import Testing

@testable import TerminalOutput

@Suite("TerminalSafe")
struct TerminalSafeTests {
  @Test(
    "A hostile name is written out",
    arguments: [
      ("Evil\u{1b}[31m\n\u{202e}X\tY", #"Evil\u{1b}[31m\n\u{202e}X\tY"#),
      ("\u{1b}]0;title\u{07}", #"\u{1b}]0;title\u{7}"#),
      ("\u{9b}2J", #"\u{9b}2J"#),
      ("a\r\nb", #"a\r\nb"#),
      ("\u{0}\u{1}\u{1f}\u{7f}\u{80}\u{9f}", #"\u{0}\u{1}\u{1f}\u{7f}\u{80}\u{9f}"#),
      ("\u{202a}\u{202b}\u{202c}\u{202d}", #"\u{202a}\u{202b}\u{202c}\u{202d}"#),
      ("\u{2066}\u{2067}\u{2068}\u{2069}", #"\u{2066}\u{2067}\u{2068}\u{2069}"#),
      ("\u{200e}\u{200f}\u{61c}", #"\u{200e}\u{200f}\u{61c}"#),
      ("\u{200b}\u{200c}\u{2060}\u{feff}\u{ad}", #"\u{200b}\u{200c}\u{2060}\u{feff}\u{ad}"#),
      ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{85}"#),
      ("\u{e0041}\u{e000}\u{fff9}\u{378}\u{10ffff}", #"\u{e0041}\u{e000}\u{fff9}\u{378}\u{10ffff}"#),
      ("\u{3164}\u{115f}\u{34f}\u{180b}", #"\u{3164}\u{115f}\u{34f}\u{180b}"#),
      (#"C:\dir"#, #"C:\\dir"#),
      (#"\u{1b}"#, #"\\u{1b}"#),
      (#"\n"#, #"\\n"#),
    ])
  func hostile(name: String, escaped: String) {
    #expect(TerminalSafe.escaped(name) == escaped)
    // Only what is behind the offset.
    var line = Array("\t\(name)".utf8)
    TerminalSafe.escape(&line, from: 1)
    #expect(String(decoding: line, as: UTF8.self) == "\t\(escaped)")
  }

  @Test(
    "Ordinary text of any script is not changed",
    arguments: [
      "", "MI Band 2", "Liuting's Device", "é", "e\u{301}", "漢字かな", "한국어", "Ελληνικά", "עברית", "العربية",
      "हिन्दी", "ไทย", "“quoted” – 100 %", "❤️", "👩‍🚀", "👨‍👩‍👧‍👦", "🇨🇭", "👍🏽", "🏳️‍🌈", "a/b:c*d?",
    ])
  func ordinary(name: String) {
    #expect(Array(TerminalSafe.escaped(name).unicodeScalars) == Array(name.unicodeScalars))
    var line = Array("\t\(name)".utf8)
    TerminalSafe.escape(&line, from: 1)
    #expect(line == Array("\t\(name)".utf8))
  }

  @Test(
    "A joiner or a selector that joins nothing is written out",
    arguments: [
      ("a\u{200d}b", #"a\u{200d}b"#), ("👩\u{200d}", #"👩\u{200d}"#), ("\u{200d}👩", #"\u{200d}👩"#),
      ("a\u{fe0f}", #"a\u{fe0f}"#), ("\u{fe0f}", #"\u{fe0f}"#), ("❤\u{fe0e}", #"❤\u{fe0e}"#),
    ])
  func loneJoiners(name: String, escaped: String) {
    #expect(TerminalSafe.escaped(name) == escaped)
  }

  @Test("Marks without a letter, and piles of marks, are written out")
  func marks() {
    #expect(TerminalSafe.escaped("\u{301}a") == #"\u{301}a"#)
    #expect(TerminalSafe.escaped("\u{1b}\u{301}") == #"\u{1b}\u{301}"#)
    let pile = "a" + String(repeating: "\u{301}", count: 6)
    #expect(TerminalSafe.escaped(pile).unicodeScalars.count == 5 + 2 * #"\u{301}"#.count)
  }

  @Test("Escaped text is one line of visible characters, and has one reading only")
  func injective() {
    var random = SeededGenerator(seed: 11)
    let alphabet: [Unicode.Scalar] = [
      "a", "\\", "n", "u", "{", "}", "1", "b", "\n", "\t", "\u{1b}", "\u{202e}", "é", "漢", "\u{301}", "👩",
      "\u{200d}", "\u{fe0f}", "\u{7f}", "\u{85}",
    ]
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
      }
      let escaped = TerminalSafe.escaped(text)
      let allowed: Set<Unicode.Scalar> = ["\u{200d}", "\u{fe0f}"]
      #expect(escaped.unicodeScalars.allSatisfy { !$0.isHarmfulToTerminals || allowed.contains($0) })
      #expect(Array(unescaped(escaped).unicodeScalars) == Array(text.unicodeScalars), "\(escaped)")
    }
  }

  @Test("A record for a pipe keeps its number of fields")
  func tabSeparated() {
    #expect(TabSeparated.line(["a\tb", "", "c\nd", "e"]) == "a\\tb\t\tc\\nd\te")
  }

  /// The original of an escaped text, by reading its escapes.
  private func unescaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let kind = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      switch kind {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "r": result.append("\r")
      case "u":
        let digits = rest.dropFirst().prefix { $0 != "}" }
        rest = rest.dropFirst(digits.count + 2)
        let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
        result.append(value.flatMap(Unicode.Scalar.init) ?? "\u{fffd}")
      default: result.append(kind)
      }
    }
    return String(result)
  }

  @Test("A harmful character is escaped wherever it stands among ordinary ones", arguments: 0..<20)
  func anywhere(position: Int) {
    for (harmful, escape) in [
      ("\u{1f}", "\\u{1f}"), ("\u{7f}", "\\u{7f}"), ("\\", "\\\\"), ("\n", "\\n"), ("\u{85}", "\\u{85}"),
    ] {
      let (before, after) = (
        String(repeating: " ", count: position), String(repeating: "~", count: 19 - position)
      )
      #expect(TerminalSafe.escaped(before + harmful + after) == before + escape + after)
    }
    for harmless in ["[", "]", "~", " ", "°", "ü"] {
      let text = String(repeating: "x", count: position) + harmless + "12345678"
      #expect(TerminalSafe.escaped(text) == text)
    }
  }
}
