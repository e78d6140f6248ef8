// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BlectlArguments

@Suite("Statements of a script")
struct ScriptParserTests {
  @Test("Loops contain their statements, and the steps of a script are its lines once")
  func structure() throws {
    let (script, mistakes) = ScriptParser.parse(
      """
      # Lights lamps.
      subscribe ffe2
      set A 01
      repeat 3
        for X in 00..72
          write ffe3 $X
        end
        let LEVEL read 2a19 --as u8
      end
      """)
    #expect(mistakes.isEmpty)
    #expect(script.steps.map(\.place.line) == [2, 6, 8])
    #expect(script.steps.map(\.source) == ["subscribe ffe2", "write ffe3 $X", "let LEVEL read 2a19 --as u8"])
    guard case .loop(let outer) = script.statements[2], case .loop(let inner) = outer.body[0] else {
      Issue.record("not loops: \(script)")
      return
    }
    #expect(try outer.rounds([:])?.count == 3)
    let rounds = try #require(try inner.rounds([:]))
    #expect((rounds.count, rounds.value(0), rounds.value(9), rounds.value(114)) == (115, "00", "09", "72"))
  }

  @Test(
    "The values of for are digits of a range, bytes of integers, or words",
    arguments: [
      ("00..03", ["00", "01", "02", "03"]), ("0a..08", ["0a", "09", "08"]), ("FE..FF", ["fe", "ff"]),
      ("fffffffe..ffffffff", ["fffffffe", "ffffffff"]), ("5..5", ["5"]),
      ("u16 255..257", ["ff00", "0001", "0101"]), ("i8 -1..1", ["ff", "00", "01"]),
      ("u16be 1..2", ["0001", "0002"]),
      ("a b 'c d'", ["a", "b", "c d"]), ("100", ["100"]),
    ] as [(String, [String])])
  func values(_ words: String, _ expected: [String]) throws {
    let (script, mistakes) = ScriptParser.parse("for X in \(words)\n  read $X\nend")
    #expect(mistakes.isEmpty)
    guard case .loop(let loop) = script.statements.first else {
      Issue.record("not a loop")
      return
    }
    let rounds = try #require(try loop.rounds([:]))
    let values = (0..<rounds.count).map { rounds.value($0) }
    #expect(values == expected)
  }

  @Test(
    "Each mistake of the syntax has its place and a reason",
    arguments: [
      ("end", "1:1: 'end' without 'repeat' or 'for'"),
      ("repeat 2\nread 2a19", "1:1: 'repeat' without 'end'"),
      ("  for X in 1..2\nread 2a19", "1:3: 'for' without 'end'"),
      ("repeat\nread 2a19\nend", "1:1: 'repeat' needs one number, such as repeat 10"),
      ("repeat 2 3\nread 2a19\nend", "1:10: 'repeat' needs one number, such as repeat 10"),
      ("repeat 2\nend", "1:1: this loop is empty"),
      ("repeat 2\nread 2a19\nend now", "3:5: nothing can follow 'end'"),
      ("for X 00..72\nread 2a19\nend", "1:1: 'for' needs a name and its values, such as for X in 00..72"),
      (
        "for $X in 1 2\nread 2a19\nend",
        "1:5: this is not the name of a variable; use letters, digits and _, without '$'"
      ),
      ("set 1A 5", "1:5: '1A' is not the name of a variable; use letters, digits and _, without '$'"),
      ("set A", "1:1: 'set' needs a name and one value, such as set LAMP 05; quote a value that has spaces"),
      (
        "set A b c",
        "1:9: 'set' needs a name and one value, such as set LAMP 05; quote a value that has spaces"
      ),
      ("let A read", "1:1: 'let' needs a name and what to read, such as let LEVEL read 2a19 --as u8"),
      ("let A write ffe3 00", "1:7: 'let' can only keep what 'read' returns"),
      ("$A 2a19", "1:1: a command cannot be a variable"),
    ])
  func syntax(_ text: String, _ expected: String) {
    let mistakes = ScriptParser.parse(text).mistakes.map(\.description)
    #expect(mistakes == [expected])
  }

  @Test("Loops nest 16 deep, and no deeper")
  func depth() {
    func nested(_ depth: Int) -> String {
      String(repeating: "repeat 2\n", count: depth) + "read 2a19\n" + String(repeating: "end\n", count: depth)
    }
    let (deepest, deeper) = (ScriptParser.parse(nested(16)).mistakes, ScriptParser.parse(nested(17)).mistakes)
    #expect(deepest.isEmpty)
    #expect(deeper.map(\.description) == ["17:1: loops cannot nest more than 16 deep"])
  }

  @Test("Lines of another system's line ends are the same lines")
  func lineEnds() {
    let (script, mistakes) = ScriptParser.parse("read 2a19\r\nread 2a29\r\n")
    #expect(mistakes.isEmpty)
    #expect(script.steps.map(\.source) == ["read 2a19", "read 2a29"])
  }

  @Test("Typed lines are complete at once, and loops at their end; a mistake drops an open loop")
  func typed() throws {
    var parser = ScriptParser()
    #expect(try parser.typed("read 2a19", number: 1).count == 1)
    #expect(try parser.typed("repeat 2", number: 2).isEmpty)
    #expect(parser.isInLoop)
    #expect(try parser.typed("read 2a19", number: 3).isEmpty)
    #expect(try parser.typed("end", number: 4).count == 1)
    #expect(!parser.isInLoop)
    _ = try parser.typed("repeat 2", number: 5)
    #expect(throws: ScriptMistake.self) { try parser.typed("set A", number: 6) }
    #expect(!parser.isInLoop)
    #expect(try parser.typed("read 2a19", number: 7).count == 1)
  }
}
