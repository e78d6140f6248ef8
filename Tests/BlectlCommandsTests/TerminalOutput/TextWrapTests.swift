// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("TextWrap")
struct TextWrapTests {
  @Test("What fits, or has no terminal, stays as it is")
  func fits() {
    #expect(TextWrap.lines("  a b", width: 5, hanging: 2) == ["  a b"])
    #expect(TextWrap.lines("  a b", width: nil, hanging: 2) == ["  a b"])
    #expect(TextWrap.lines("", width: 5, hanging: 2) == [""])
    #expect(TextWrap.lines("grüße", width: 5, hanging: 2) == ["grüße"])
  }

  @Test("It is broken between words, and goes on indented")
  func words() {
    #expect(
      TextWrap.lines("  @1 one,  two three", width: 10, hanging: 4) == [
        "  @1 one,", "    two", "    three",
      ])
    #expect(TextWrap.lines("a b c", width: 1, hanging: 5) == ["a", "b", "c"])
  }

  @Test("A word that is wider than the terminal is broken")
  func wideWords() {
    #expect(TextWrap.lines("0123456789abc", width: 6, hanging: 2) == ["012345", "  6789", "  abc"])
    #expect(TextWrap.lines("x 漢字漢字", width: 5, hanging: 1) == ["x", " 漢字", " 漢字"])
  }

  @Test("Colours take no room, and go on in the next line")
  func colours() {
    let (green, plain) = ("\u{1b}[32m", "\u{1b}[0m")
    #expect(TextWrap.lines("\(green)abc\(plain) def", width: 7, hanging: 1) == ["\(green)abc\(plain) def"])
    #expect(
      TextWrap.lines("\(green)abc def\(plain) ghi", width: 7, hanging: 1)
        == ["\(green)abc def\(plain)", " ghi"])
  }

  @Test("Nothing is lost and nothing too wide, whatever the width", arguments: 1...30)
  func whole(_ width: Int) {
    let text = "  @0033 2a04 Peripheral Preferred Connection Parameters  read, notify  = 漢字 0123456789"
    let lines = TextWrap.lines(text, width: width, hanging: 8)
    #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    if width > 1 { #expect(lines.allSatisfy { DisplayWidth.of($0) <= width }) }
  }
}
