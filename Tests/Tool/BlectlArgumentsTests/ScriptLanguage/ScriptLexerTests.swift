// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BlectlArguments

@Suite("Words of a script")
struct ScriptLexerTests {
  private func words(_ line: String) throws -> [String] {
    try ScriptLexer.line(Substring(line), number: 1)?.words.map { $0.literal ?? "$" } ?? []
  }

  private func mistake(_ line: String) -> String? {
    do throws(ScriptMistake) {
      _ = try ScriptLexer.line(Substring(line), number: 7)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "Blanks separate words, and quotes and backslashes keep them",
    arguments: [
      ("", []), ("  # only a comment", []), ("read 2a19", ["read", "2a19"]),
      ("\tread\t2a19  # level", ["read", "2a19"]),
      ("write ffe3 'a b' \"c d\"", ["write", "ffe3", "a b", "c d"]),
      ("a\\ b c\\#d", ["a b", "c#d"]), ("x#y", ["x#y"]), ("'' \"\"", ["", ""]),
      ("utf8:'it is'\" ok\"", ["utf8:it is ok"]), ("'$X' \"\\$X\\\"\\\\\" \\$", ["$X", "$X\"\\", "$"]),
      ("\"a\\b\"", ["a\\b"]), ("é 🎹 𝄞", ["é", "🎹", "𝄞"]),
    ] as [(String, [String])])
  func separation(_ line: String, _ expected: [String]) throws {
    #expect(try words(line) == expected)
  }

  @Test("Variables stand in words, in double quotes, and in braces before letters")
  func variables() throws {
    let line = try #require(try ScriptLexer.line("write ffe3 f03d3d${X}02f7 \"u8:$_n1\" $A$B", number: 1))
    let values = ["X": "05", "_n1": "7", "A": "a", "B": "b"]
    #expect(line.expanded(values) == ["write", "ffe3", "f03d3d0502f7", "u8:7", "ab"])
    #expect(line.expanded([:]) == nil)
    #expect(line.words[2].variables.map(\.name) == ["X"])
    #expect(line.words[2].variables.map(\.place) == [ScriptPlace(line: 1, column: 18)])
  }

  @Test(
    "A mistake has its line and column",
    arguments: [
      ("write a 'b", "7:9: this quote is not closed"),
      ("write \"b", "7:7: this quote is not closed"),
      ("a \\", "7:3: a line cannot end with a backslash"),
      ("a $", "7:3: '$' needs the name of a variable behind it; for the character itself use '\\$'"),
      ("a $1", "7:3: '$' needs the name of a variable behind it; for the character itself use '\\$'"),
      ("a x${B", "7:4: '${B' needs a '}'"),
      ("a \u{1b}[2J", "7:3: a script cannot contain the control character U+001B"),
    ])
  func mistakes(_ line: String, _ expected: String) {
    let found = mistake(line)
    #expect(found == expected)
  }
}
