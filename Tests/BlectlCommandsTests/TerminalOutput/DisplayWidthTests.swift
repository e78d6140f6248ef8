// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    "a text takes the columns that a terminal gives it",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("かな", 4), ("한국", 4),
      ("\u{1112}\u{1161}\u{11ab}", 2),
      ("ｆｕｌｌ", 8), ("ﾊﾝ", 2), ("Ωж", 2), ("👍", 2), ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("👨‍👩‍👧‍👦", 2), ("🇨🇭", 2),
      ("🏳️‍🌈", 2), ("𠀀", 2), ("…", 1), ("─", 1), ("a漢b", 4), ("⠋", 1), ("עב", 2), ("☺", 1), ("⌚", 2),
    ])
  func widths(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    "a text that does not fit ends in an ellipsis, and never takes more than there is",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("", 0, ""),
      ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字…"), ("漢字", 2, "…"),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("👨‍👩‍👧‍👦👍👍", 5, "👨‍👩‍👧‍👦👍…"),
    ])
  func truncation(text: String, width: Int, truncated: String) {
    #expect(DisplayWidth.truncated(text, to: width) == truncated)
    #expect(DisplayWidth.of(DisplayWidth.truncated(text, to: width)) <= width)
  }

  @Test("padding counts columns, not characters")
  func padding() {
    #expect(DisplayWidth.padded("漢", to: 4) == "漢  ")
    #expect(DisplayWidth.padded("12", to: 4, toRight: true) == "  12")
    #expect(DisplayWidth.padded("longer", to: 4) == "longer")
  }
}
