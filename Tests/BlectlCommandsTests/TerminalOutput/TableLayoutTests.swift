// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands
@testable import TerminalOutput

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

  @Test("columns line up, numbers to the right, whatever the script")
  func aligned() {
    #expect(
      layout.lines(rows: rows, width: nil) == [
        "ADDRESS            RSSI  NAME       SERVICES",
        "C8:0F:10:01:02:03   -48  MI Band 2  fee0",
        "D0:B5:C2:0A:0B:0C  -101  鍵盤       ffe0 ffe1",
        "C1:BE:AC:00:00:01",
      ])
  }

  @Test("the flexible column gives way")
  func flexible() {
    let lines = layout.lines(rows: [["C8:0F:10:01:02:03", "-48", "A rather long name", "fee0"]], width: 48)
    #expect(
      lines == [
        "ADDRESS            RSSI  NAME           SERVICES",
        "C8:0F:10:01:02:03   -48  A rather lon…  fee0",
      ])
  }

  @Test("no line is wider than the terminal while the flexible column has room", arguments: 44...80)
  func fits(width: Int) {
    let lines = layout.lines(rows: rows + [["x", "1", "名前の長い装置はここにあります", "180a"]], width: width)
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
  }

  @Test("the flexible column keeps some letters on a terminal that is much too narrow")
  func narrow() {
    let lines = layout.lines(rows: [["address", "-48", "A rather long name", "fee0"]], width: 5)
    #expect(lines.last == "address   -48  A rathe…  fee0")
  }

  @Test("a hostile cell stays in its place")
  func hostile() {
    let lines = layout.lines(rows: [["a", "1", "Evil\u{1b}[2J\n", "b"]], width: nil)
    #expect(lines.last == #"a           1  Evil\u{1b}[2J\n  b"#)
  }

  @Test("colour does not count as width")
  func colour() {
    let table = TableLayout(columns: [.init(title: "A"), .init(title: "B")])
    let lines = table.lines(
      rows: [[.init("x", style: .red), .init("yy", style: .dim)]], width: nil, style: Style(isEnabled: true))
    #expect(
      lines == ["\u{1b}[1mA\u{1b}[0m  \u{1b}[1mB\u{1b}[0m", "\u{1b}[31mx\u{1b}[0m  \u{1b}[2myy\u{1b}[0m"])
  }

  @Test("short rows are filled, long ones cut, and no rows are a header")
  func ragged() {
    let table = TableLayout(columns: [.init(title: "A"), .init(title: "B")])
    #expect(table.lines(rows: [["1"], ["1", "2", "3"]], width: nil) == ["A  B", "1", "1  2"])
    #expect(table.lines(rows: [], width: 10) == ["A  B"])
  }
}
