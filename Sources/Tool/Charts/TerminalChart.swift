// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// A chart as lines of a terminal: its panels, the time scale, and the legend.
struct TerminalChart {
  /// The characters that a terminal has.
  struct Glyphs: Sendable, Hashable {
    var hasBraille: Bool
    var tick: String
    var wall: String
    var corner: String
    var floor: String
    var floorTick: String

    static let full = Glyphs(
      hasBraille: true, tick: "┤", wall: "│", corner: "└", floor: "─", floorTick: "┴")
    static let ascii = Glyphs(
      hasBraille: false, tick: "+", wall: "|", corner: "+", floor: "-", floorTick: "+")

    /// The console of Linux has no Braille.
    init(term: String?) { self = term == "linux" ? .ascii : .full }

    private init(
      hasBraille: Bool, tick: String, wall: String, corner: String, floor: String, floorTick: String
    ) {
      (self.hasBraille, self.tick, self.wall) = (hasBraille, tick, wall)
      (self.corner, self.floor, self.floorTick) = (corner, floor, floorTick)
    }
  }

  var glyphs = Glyphs.full
  var style = Style.plain

  /// A panel has at least its title and three rows.
  static let leastRows = 4
  private static let timeRows = 2

  private static let colors: [TextStyle] = [.cyan, .yellow, .green, .magenta, .blue, .red]

  static func color(of index: Int) -> TextStyle { colors[index % colors.count] }

  static func letter(of index: Int) -> Character {
    Unicode.Scalar(UInt32(0x41 + index % 26)).map { Character($0) } ?? "?"
  }

  /// Draws the chart in safe lines that fit `size`, including the `footer` below it.
  func lines(_ chart: Chart, size: TerminalSize, footer: [String] = []) -> [String] {
    let time = TimeAxis(newest: chart.newest, window: chart.window)
    let panels = ChartPanel.panels(of: chart, over: time)
    var below = ChartLegend(chart: chart, style: style).lines(size: size)
    below += footer.map { DisplayWidth.truncated(TerminalSafe.escaped($0), to: size.columns) }
    let room = size.rows - below.count - TerminalChart.timeRows
    let shown = min(panels.count, room / TerminalChart.leastRows)
    guard shown > 0 else { return Array(below.suffix(max(1, size.rows))) }
    if shown < panels.count {
      let hidden = panels.dropFirst(shown).map(\.title).joined(separator: ", ")
      let text = "no room for: \(TerminalSafe.escaped(hidden))"
      below.insert(DisplayWidth.truncated(text, to: size.columns), at: 0)
    }
    let rows = size.rows - below.count - TerminalChart.timeRows
    return drawn(Array(panels.prefix(shown)), of: chart, over: time, rows: rows, columns: size.columns)
      + below
  }

  private func drawn(
    _ panels: [ChartPanel], of chart: Chart, over time: TimeAxis, rows: Int, columns: Int
  ) -> [String] {
    let (share, rest) = rows.quotientAndRemainder(dividingBy: panels.count)
    let heights = panels.indices.map { max(1, share + ($0 < rest ? 1 : 0) - 1) }
    let axes = zip(panels, heights).map { panel, height in
      ValueAxis(from: panel.least, to: panel.greatest, mostTicks: (height + 1) / 2)
    }
    let margin = axes.flatMap(\.ticks).map { DisplayWidth.of($0.label) }.max() ?? 0
    let width = max(4, columns - margin - 2)
    var lines: [String] = []
    for (index, panel) in panels.enumerated() {
      lines.append(title(of: panel, margin: margin, columns: columns))
      let canvas = ChartPainter(chart: chart, time: time, axis: axes[index])
        .canvas(panel.members, columns: width, rows: heights[index])
      lines += rowsOf(canvas, axes[index], margin: margin)
    }
    return lines + timeLines(time, margin: margin, width: width)
  }

  private func title(of panel: ChartPanel, margin: Int, columns: Int) -> String {
    let text = DisplayWidth.truncated(TerminalSafe.escaped(panel.title), to: columns)
    return style.apply(.bold, to: DisplayWidth.padded(text, to: margin, toRight: true))
  }

  private func rowsOf(_ canvas: BrailleCanvas, _ axis: ValueAxis, margin: Int) -> [String] {
    var labels: [Int: String] = [:]
    for tick in axis.ticks {
      labels[ChartPainter.dotRow(axis.position(of: tick.value), of: canvas) / 4] = tick.label
    }
    return (0..<canvas.rows).map { row in
      let label = DisplayWidth.padded(labels[row] ?? "", to: margin, toRight: true)
      let wall = labels[row] == nil ? glyphs.wall : glyphs.tick
      return style.apply(.dim, to: "\(label) \(wall)") + text(of: canvas, row: row)
    }
  }

  /// A row of characters, coloured line by line, without the spaces at its end.
  private func text(of canvas: BrailleCanvas, row: Int) -> String {
    var text = ""
    var run = ""
    var owner: Int?
    func flush() {
      text += owner.map { style.apply(TerminalChart.color(of: $0), to: run) } ?? run
      run = ""
    }
    let last = (0..<canvas.columns).last { canvas[$0, row].owner != nil } ?? -1
    for column in 0..<(last + 1) {
      let cell = canvas[column, row]
      if cell.owner != owner { flush() }
      owner = cell.owner
      run.append(cell.character(hasBraille: glyphs.hasBraille))
    }
    flush()
    return text
  }

  /// The floor, and the times below it.
  private func timeLines(_ time: TimeAxis, margin: Int, width: Int) -> [String] {
    var floor = Array(repeating: glyphs.floor, count: width)
    var labels = ""
    for tick in time.ticks(most: max(1, width / 12)) {
      let column = min(width - 1, ChartPainter.dotColumn(time.position(of: tick.time), columns: width) / 2)
      floor[column] = glyphs.floorTick
      // Centred below its tick, but within the margins.
      let place = min(
        max(0, column + margin + 2 - tick.label.utf8.count / 2), margin + 2 + width - tick.label.utf8.count)
      guard place >= labels.utf8.count + (labels.isEmpty ? 0 : 1) else { continue }
      labels = DisplayWidth.padded(labels, to: place) + tick.label
    }
    let wall = String(repeating: " ", count: margin + 1) + glyphs.corner
    return [style.apply(.dim, to: wall + floor.joined()), style.apply(.dim, to: labels)]
  }
}
