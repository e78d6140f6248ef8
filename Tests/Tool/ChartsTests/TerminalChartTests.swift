// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import Charts
@testable import TerminalOutput

@Suite("TerminalChart")
struct TerminalChartTests {
  private let rates = SampleStream.values([60, 62, 66, 72, 80, 86, 90, 91].map { [0, $0] })
  private let size = TerminalSize(columns: 40, rows: 11)
  private static let least = Double.leastNonzeroMagnitude

  @Test("A chart of one line has its unit, its scales and its footer")
  func one() {
    var chart = Chart()
    chart.add(rates)
    #expect(
      TerminalChart().lines(chart, size: size, footer: ["footer"]) == [
        "bpm",
        "100 ┤",
        "    │                 ⣀⡠⠤⠒⠒⠊⠉⠁",
        " 80 ┤            ⢀⡠⠤⠒⠉",
        "    │        ⣀⠤⠒⠊⠁",
        " 60 ┤⣀⣀⠤⠤⠔⠒⠊⠉",
        "    └┴────────────────┴────────────────┴",
        "    0 s              5 s            10 s",
        "   SERIES          MIN  MAX  LAST  UNIT",
        "A  heart_rate_bpm   60   91    91  bpm",
        "footer",
      ])
  }

  @Test("A chart fits into any terminal, however many lines it has", arguments: [1, 2, 7, 40])
  func fits(count: Int) throws {
    var chart = Chart()
    for number in 0..<count {
      let address = try ChartTests.address(number)
      let uuid = BluetoothUUID(short: number % 2 == 0 ? 0x2a37 : 0x2a6e)
      chart.add(
        SampleStream.values(
          [[0, 60], [0, 90]], uuid: uuid, address: address, name: "心率带 \(number) 👍 a long name"))
    }
    for columns in [1, 10, 20, 40, 80, 200] {
      for rows in [1, 2, 5, 8, 12, 24, 50] {
        let size = TerminalSize(columns: columns, rows: rows)
        let lines = TerminalChart().lines(chart, size: size, footer: ["the footer of a chart"])
        #expect(lines.count <= rows)
        #expect(lines.last == DisplayWidth.truncated("the footer of a chart", to: columns))
        if columns >= 40 {
          #expect(lines.allSatisfy { DisplayWidth.of(Self.plain($0)) <= columns })
        }
        if rows >= 12, columns >= 40 { #expect(lines.count == rows) }
      }
    }
  }

  /// A text without the sequences that put cells in their columns.
  private static func plain(_ line: String) -> String { line.replacing(/\u{1b}\[[0-9;]*[a-zA-Z]/, with: "") }

  @Test("Lines are told apart by letters, and by colours where there are colours")
  func marks() throws {
    var chart = Chart()
    chart.add(rates)
    chart.add(SampleStream.values([[0, 100], [0, 80]], address: try ChartTests.address(1), name: "Other"))
    let plain = TerminalChart().lines(chart, size: TerminalSize(columns: 80, rows: 24))
    #expect(plain.joined().contains("A") && plain.joined().contains("B"))
    #expect(!plain.joined().contains("\u{1b}"))
    let colored = TerminalChart(style: Style(isEnabled: true)).lines(
      chart, size: TerminalSize(columns: 80, rows: 24))
    #expect(colored.joined().contains("\u{1b}[36m") && colored.joined().contains("\u{1b}[33m"))
    #expect(colored.map(Self.plain) == plain)
  }

  @Test("A terminal without Braille gets ASCII, beside the texts")
  func ascii() {
    var chart = Chart()
    chart.add(rates)
    let lines = TerminalChart(glyphs: .init(term: "linux")).lines(chart, size: size)
    #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 })
    #expect(lines.joined().contains("*"))
  }

  @Test("A chart of nothing is its footer")
  func empty() {
    #expect(TerminalChart().lines(Chart(), size: size, footer: ["0 values"]) == ["0 values"])
  }

  @Test("Names from the air do no harm in a chart")
  func hostile() throws {
    var chart = Chart()
    chart.add(SampleStream.values([[0, 60]], name: "Evil\u{1b}[2J\n"))
    chart.add(SampleStream.values([[0, 60]], address: try ChartTests.address(1), name: "\u{202e}x"))
    let text = TerminalChart().lines(chart, size: TerminalSize(columns: 80, rows: 24), footer: ["a\u{1b}b"])
      .joined()
    #expect(!text.contains("\u{1b}") && !text.contains("\u{202e}") && !text.contains("\n"))
    #expect(text.contains("Evil\\u{1b}[2J\\n"))
  }

  @Test(
    "A chart can be drawn of the smallest and the greatest numbers",
    arguments: [
      [least], [least, 2 * least], [-least, least], [.leastNormalMagnitude, least], [least, 1],
      [-1e300, 1e300], [1, 1 + .ulpOfOne], [1e300, .greatestFiniteMagnitude],
    ])
  func extremes(numbers: [Double]) throws {
    var chart = Chart(format: try ValueFormat(parsing: "f64be"))
    chart.add(SampleStream.values(numbers.map { withUnsafeBytes(of: $0.bitPattern.bigEndian, Array.init) }))
    #expect(TerminalChart().lines(chart, size: size).count == size.rows)
    #expect(SVGChart(chart: chart).text.hasSuffix("</svg>\n"))
  }
}

@Suite("BrailleCanvas")
struct BrailleCanvasTests {
  private func text(_ canvas: BrailleCanvas, hasBraille: Bool = true) -> [String] {
    (0..<canvas.rows).map { row in
      String((0..<canvas.columns).map { canvas[$0, row].character(hasBraille: hasBraille) })
    }
  }

  @Test("Each dot of a character is where Unicode has it")
  func dots() {
    let pictures = ["⠁⠂⠄⡀", "⠈⠐⠠⢀"].map(Array.init)
    for x in 0..<2 {
      for y in 0..<4 {
        var canvas = BrailleCanvas(columns: 1, rows: 1)
        canvas.dot(x, y, owner: 0)
        #expect(text(canvas) == [String(pictures[x][y])])
      }
    }
  }

  @Test("A line has no holes, whichever way it goes")
  func line() {
    var canvas = BrailleCanvas(columns: 2, rows: 1)
    canvas.line(from: (0, 3), to: (3, 0), owner: 0)
    #expect(text(canvas) == ["⡠⠊"])
    var back = BrailleCanvas(columns: 2, rows: 1)
    back.line(from: (3, 0), to: (0, 3), owner: 0)
    #expect(text(back) == text(canvas))
    var wall = BrailleCanvas(columns: 1, rows: 2)
    wall.line(from: (0, 0), to: (0, 7), owner: 0)
    #expect(text(wall) == ["⡇", "⡇"])
  }

  @Test("Points outside the canvas are not drawn")
  func outside() {
    var canvas = BrailleCanvas(columns: 1, rows: 1)
    canvas.dot(-1, 0, owner: 0)
    canvas.dot(2, 0, owner: 0)
    canvas.dot(0, 4, owner: 0)
    canvas.letter("A", column: 1, row: 0, owner: 0)
    #expect(text(canvas) == [" "])
  }

  @Test("The last line that drew in a character owns it; a letter stands in place of its dots")
  func owners() {
    var canvas = BrailleCanvas(columns: 2, rows: 1)
    canvas.dot(0, 0, owner: 0)
    canvas.dot(1, 3, owner: 1)
    #expect(canvas[0, 0].owner == 1)
    canvas.letter("B", column: 0, row: 0, owner: 1)
    canvas.letter("A", column: 0, row: 0, owner: 0)
    #expect(text(canvas) == ["B "])
    canvas.dot(2, 0, owner: 0)
    #expect(text(canvas, hasBraille: false) == ["B*"])
  }
}
