// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BlectlArguments

@Suite("Checking a script before it runs")
struct ScriptCheckTests {
  /// The lines as they were examined, and the mistakes.
  private func check(
    _ text: String, overriding overrides: [String: String] = [:]
  ) -> (lines: [String], mistakes: [String], unused: [String]) {
    let (script, syntax) = ScriptParser.parse(text)
    #expect(syntax.isEmpty)
    let lines = Examined()
    var check = ScriptCheck(overriding: overrides) { line, words in
      lines.all.append(words.joined(separator: " "))
      return words.contains("bad") ? ScriptMistake(line.place, "bad") : nil
    }
    let (mistakes, unused) = check.mistakes(in: script)
    return (lines.all, mistakes.map(\.description), unused)
  }

  private final class Examined {
    var all: [String] = []
  }

  @Test("A loop is examined with its first and its last value")
  func bounds() {
    let result = check("for X in 00..72\nwrite ffe3 $X\nend")
    #expect(result.lines == ["write ffe3 00", "write ffe3 72"])
    #expect(check("for X in a bad\nwrite ffe3 $X\nend").mistakes == ["2:1: bad"])
  }

  @Test("A line with a value that only the device knows is examined with another one in its place")
  func unknown() {
    let result = check("let L read 2a19\nwrite ffe3 $L\nset M $L\nwrite ffe3 $M\nwrite ffe3 00")
    #expect(result.lines == ["read 2a19", "write ffe3 01", "write ffe3 01", "write ffe3 00"])
    #expect(result.mistakes.isEmpty)
    #expect(check("let L read 2a19\nwrite bad $L").mistakes == ["2:1: bad"])
  }

  @Test("A line that is wrong for some values only is not a mistake before the value is known")
  func dependent() {
    var check = ScriptCheck { line, words in
      words[1] == "1800" ? nil : ScriptMistake(line.place, "'\(words[1])' is not a UUID")
    }
    let result = check.mistakes(in: ScriptParser.parse("let L read 1800\nread $L\nread ${L}x").script)
    #expect(result.mistakes.isEmpty)
  }

  @Test("A variable without a value is a mistake at its place, once")
  func missing() {
    let result = check("repeat 2\nwrite ffe3 00$LAMP\nend\nset LAMP 01\nwrite ffe3 $LAMP")
    #expect(result.mistakes == ["2:14: no variable 'LAMP'; use set LAMP VALUE, or --set LAMP=VALUE"])
    #expect(result.lines == ["write ffe3 01"])
  }

  @Test("The command line wins over set, and a variable that the script lacks is found")
  func overrides() {
    let result = check("set A 01\nwrite ffe3 $A", overriding: ["A": "02", "B": "03"])
    #expect(result.lines == ["write ffe3 02"])
    #expect(result.unused == ["B"])
  }

  @Test(
    "An invalid range is a mistake",
    arguments: [
      ("00..7", "'00..7' needs as many digits on both sides, such as 00..72"),
      (
        "0g..72",
        "'0g..72' is not a range of hexadecimal digits such as 00..72; for decimal numbers use u8 0..114"
      ),
      (
        "000000000..1",
        "'000000000..1' is not a range of hexadecimal digits such as 00..72; for decimal numbers use u8 0..114"
      ),
      ("u9 0..1", "'u9' is not a format; use a range such as u16 100..200"),
      ("utf8 0..1", "'utf8' is not a format of integers; use a range such as u16 100..200"),
      ("u8 0..256", "'256' does not fit u8, which holds 0 to 255"),
      ("u8 a..b", "'a..b' is not a range of integers such as 100..200"),
      ("00..05 07", "'00..05' cannot stand in a list; use a range alone: 00..72, or u16 100..200"),
    ])
  func ranges(_ words: String, _ reason: String) {
    let mistakes = check("for X in \(words)\nread $X\nend").mistakes
    #expect(mistakes == ["1:10: \(reason)"])
  }

  @Test("A number of rounds is checked too", arguments: ["0", "-1", "+2", "many", ""])
  func counts(_ count: String) {
    let mistakes = check("repeat $N\nread 2a19\nend", overriding: ["N": count]).mistakes
    #expect(mistakes == ["1:8: '\(count)' is not a number of rounds; use repeat 10"])
  }
}
