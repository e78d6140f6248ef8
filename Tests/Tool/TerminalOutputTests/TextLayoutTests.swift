// SPDX-License-Identifier: MIT
import Testing

@testable import TerminalOutput

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    "A text takes the columns that a terminal gives it",
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
    "A text that does not fit ends in an ellipsis, and never takes more than there is",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("", 0, ""),
      ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字…"), ("漢字", 2, "…"),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("👨‍👩‍👧‍👦👍👍", 5, "👨‍👩‍👧‍👦👍…"),
    ])
  func truncation(text: String, width: Int, truncated: String) {
    #expect(DisplayWidth.truncated(text, to: width) == truncated)
    #expect(DisplayWidth.of(DisplayWidth.truncated(text, to: width)) <= width)
  }

  @Test(
    "A list that does not fit has its first parts whole, or else its first words; no number is cut",
    arguments: [
      ("25.06 °C, humidity 50.5 %", 25, "25.06 °C, humidity 50.5 %"),
      ("25.06 °C, humidity 50.5 %", 24, "25.06 °C, …"), ("25.06 °C, humidity 50.5 %", 11, "25.06 °C, …"),
      ("25.06 °C, humidity 50.5 %", 10, "25.06 …"), ("25.06 °C, humidity 50.5 %", 6, "…"),
      ("25.06 °C, humidity 50.5 %", 0, ""), ("humidity 50.5 %", 12, "humidity …"),
      ("humidity 50.5 %", 9, "humidity…"),
      ("0100c80f10010203, RSSI", 8, "0100c80…"), ("漢字 漢字, x", 8, "漢字 …"),
    ])
  func lists(list: String, width: Int, truncated: String) {
    #expect(DisplayWidth.truncated(list: list, to: width) == truncated)
    #expect(DisplayWidth.of(DisplayWidth.truncated(list: list, to: width)) <= width)
  }

  @Test("Padding counts columns, not characters")
  func padding() {
    #expect(DisplayWidth.padded("漢", to: 4) == "漢  ")
    #expect(DisplayWidth.padded("12", to: 4, toRight: true) == "  12")
    #expect(DisplayWidth.padded("longer", to: 4) == "longer")
  }
}

@Suite("NaturalName")
struct NaturalNameTests {
  @Test("Numbers within names sort by what they are, letters in any case")
  func order() {
    let names = [
      "tag 2", "Tag 10", "Tag 010b", "7", "07a", "Sensor", "tag", "12", "Tag 18446744073709551616", "Tag 3",
    ]
    #expect(
      names.sorted { NaturalName($0) < NaturalName($1) } == [
        "7", "07a", "12", "Sensor", "tag", "tag 2", "Tag 3", "Tag 10", "Tag 010b", "Tag 18446744073709551616",
      ])
    #expect(NaturalName("TAG 1") == NaturalName("tag 01"))
  }
}

@Suite("FactLines")
struct FactLinesTests {
  @Test("Values stand in a column, wrapped where they do not fit, and harmless")
  func lines() {
    let facts = [("name", "a\u{1b}b"), ("漢字", "one two three")]
    #expect(
      FactLines.lines(facts, width: 14, style: .plain) == ["name  a\\u{1b}b", "漢字  one two", "      three"])
    #expect(
      FactLines.lines([("n", "v")], width: nil, style: Style(isEnabled: true)) == ["\u{1b}[1mn\u{1b}[0m  v"])
  }
}

@Suite("TextWrap")
struct TextWrapTests {
  @Test("Text that fits, or has no terminal, is not changed")
  func fits() {
    #expect(TextWrap.lines("  a b", width: 5, hanging: 2) == ["  a b"])
    #expect(TextWrap.lines("  a b", width: nil, hanging: 2) == ["  a b"])
    #expect(TextWrap.lines("", width: 5, hanging: 2) == [""])
    #expect(TextWrap.lines("grüße", width: 5, hanging: 2) == ["grüße"])
  }

  @Test("A long text is broken between words, and goes on indented")
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

@Suite("TableLayout")
struct TableLayoutTests {
  private let layout = TableLayout(columns: [
    .init(title: "ADDRESS"), .init(title: "RSSI", isNumeric: true), .init(title: "NAME", isFlexible: true),
    .init(title: "SERVICES"),
  ])

  private let rows: [[TableLayout.Cell]] = [
    ["C8:0F:10:01:02:03", "-48", "MI Band 2", "fee0"],
    ["D0:B5:C2:0A:0B:0C", "-101", "鍵盤", "ffe0 ffe1"],
    ["C1:BE:AC:00:00:01", "", "", ""],
  ]

  @Test("Columns line up, numbers to the right, whatever the script")
  func aligned() {
    #expect(
      layout.lines(rows: rows, width: nil) == [
        "ADDRESS            RSSI  NAME       SERVICES",
        "C8:0F:10:01:02:03   -48  MI Band 2  fee0",
        "D0:B5:C2:0A:0B:0C  -101  鍵盤       ffe0 ffe1",
        "C1:BE:AC:00:00:01",
      ])
  }

  @Test("The flexible column gives way")
  func flexible() {
    let lines = layout.lines(rows: [["C8:0F:10:01:02:03", "-48", "A rather long name", "fee0"]], width: 48)
    #expect(
      lines == [
        "ADDRESS            RSSI  NAME           SERVICES",
        "C8:0F:10:01:02:03   -48  A rather lon…  fee0",
      ])
  }

  @Test("No line is wider than the terminal while the flexible column can shrink", arguments: 44...80)
  func fits(width: Int) {
    let lines = layout.lines(rows: rows + [["x", "1", "名前の長い装置はここにあります", "180a"]], width: width)
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
  }

  @Test("The flexible column keeps some letters on a terminal that is much too narrow")
  func narrow() {
    let lines = layout.lines(rows: [["address", "-48", "A rather long name", "fee0"]], width: 5)
    #expect(lines.last == "address   -48  A rathe…  fee0")
  }

  @Test("A hostile cell stays in its place")
  func hostile() {
    let lines = layout.lines(rows: [["a", "1", "Evil\u{1b}[2J\n", "b"]], width: nil)
    #expect(lines.last == #"a           1  Evil\u{1b}[2J\n  b"#)
  }

  @Test("Colour does not count as width")
  func colour() {
    let table = TableLayout(columns: [.init(title: "A"), .init(title: "B")])
    let lines = table.lines(
      rows: [[.init("x", style: .red), .init("yy", style: .dim)]], width: nil, style: Style(isEnabled: true))
    #expect(
      lines == ["\u{1b}[1mA\u{1b}[0m  \u{1b}[1mB\u{1b}[0m", "\u{1b}[31mx\u{1b}[0m  \u{1b}[2myy\u{1b}[0m"])
  }

  @Test("A narrow column has whole parts of a list")
  func list() {
    let table = TableLayout(columns: [.init(title: "N"), .init(title: "VALUES", isFlexible: true)])
    let rows: [[TableLayout.Cell]] = [
      ["1", .init(list: ["25.06 °C", "a\tb", "rain"])], ["2", .init(list: [])],
    ]
    #expect(table.lines(rows: rows, width: 25) == ["N  VALUES", "1  25.06 °C, a\\tb, rain", "2"])
    #expect(table.lines(rows: rows, width: 19) == ["N  VALUES", "1  25.06 °C, …", "2"])
  }

  @Test("Short rows are filled, long ones cut, and no rows are a header")
  func ragged() {
    let table = TableLayout(columns: [.init(title: "A"), .init(title: "B")])
    #expect(table.lines(rows: [["1"], ["1", "2", "3"]], width: nil) == ["A  B", "1", "1  2"])
    #expect(table.lines(rows: [], width: 10) == ["A  B"])
  }
}
