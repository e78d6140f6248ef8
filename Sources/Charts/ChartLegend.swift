// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The text below a chart: the lines with their least, greatest and last values, and what is not drawn.
struct ChartLegend {
  let chart: Chart
  var style = Style.plain

  /// Safe lines that are no wider than a terminal, and leave the most of it to the chart.
  func lines(size: TerminalSize) -> [String] {
    let most = max(1, size.rows / 3 - 1)
    let labels = chart.series.labels
    let all = chart.series.enumerated().map { index, series -> [TableLayout.Cell] in
      [
        .init(String(TerminalChart.letter(of: index)), style: TerminalChart.color(of: index)),
        .init(labels[index]), .init(ChartNumber.exact(series.least)),
        .init(ChartNumber.exact(series.greatest)), .init(ChartNumber.exact(series.last), style: .bold),
        .init(series.unit),
      ]
    }
    let rows = all.count > most ? Array(all.prefix(max(1, most - 1))) : all
    let table = TableLayout(columns: [
      .init(title: ""), .init(title: "SERIES", isFlexible: true), .init(title: "MIN", isNumeric: true),
      .init(title: "MAX", isNumeric: true), .init(title: "LAST", isNumeric: true), .init(title: "UNIT"),
    ])
    var lines = rows.isEmpty ? [] : table.lines(rows: rows, width: size.columns, style: style)
    if rows.count < all.count { lines.append("… and \(all.count - rows.count) more") }
    return lines + remarks.map { DisplayWidth.truncated(TerminalSafe.escaped($0), to: size.columns) }
  }

  /// What the chart does not show.
  var remarks: [String] {
    var remarks: [String] = []
    if !chart.numberless.isEmpty { remarks.append("no number in: \(chart.numberless.text)") }
    if !chart.crowdedOut.isEmpty {
      remarks.append("more than \(Chart.mostSeries) lines, not drawn: \(chart.crowdedOut.text)")
    }
    if chart.droppedCount > 0 { remarks.append("\(chart.droppedCount) values were dropped (--buffer)") }
    return remarks
  }

  /// How much has come: `13 values in 12 s`.
  var summary: String {
    let count = chart.valueCount
    let seconds = TimeAxis.label(chart.newest.rounded(), step: 1)
    return "\(count) value\(count == 1 ? "" : "s") in \(seconds)"
  }
}
