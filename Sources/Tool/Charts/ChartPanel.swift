// SPDX-License-Identifier: MIT
internal import Histories
internal import TerminalOutput

/// The lines of a chart that share a scale: those with the same unit, or, without a unit, with the same name.
struct ChartPanel: Sendable, Hashable {
  let title: String
  /// The indexes of its lines in the chart.
  private(set) var members: [Int]
  private(set) var least: Double
  private(set) var greatest: Double

  /// The panels of a chart, in the order of their first lines.
  static func panels(of chart: Chart, over time: TimeAxis) -> [ChartPanel] {
    var panels: [ChartPanel] = []
    for (index, series) in chart.series.enumerated() {
      let title = series.unit.isEmpty ? series.key.field : series.unit
      let (low, high) = range(of: series, over: time)
      if let place = panels.firstIndex(where: { $0.title == title }) {
        panels[place].members.append(index)
        panels[place].least = min(panels[place].least, low)
        panels[place].greatest = max(panels[place].greatest, high)
      } else {
        panels.append(ChartPanel(title: title, members: [index], least: low, greatest: high))
      }
    }
    return panels
  }

  /// The range of the visible part of a line; a line without a visible part has its last value.
  private static func range(of series: ChartSeries, over time: TimeAxis) -> (Double, Double) {
    guard time.isWindow else { return (series.least, series.greatest) }
    let shown = series.history.buckets.filter { $0.time >= time.start }
    return (
      shown.map(\.low).min() ?? series.last, shown.map(\.high).max() ?? series.last
    )
  }
}

/// The text below a chart: the lines with their least, greatest and last values, and what is not drawn.
struct ChartLegend {
  let chart: Chart
  var style = Style.plain

  /// Safe lines that fit the width of a terminal, and leave most of its height to the chart.
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

  /// Remarks about what the chart does not show.
  var remarks: [String] {
    var remarks: [String] = []
    if !chart.numberless.isEmpty { remarks.append("no number in: \(chart.numberless.text)") }
    if !chart.crowdedOut.isEmpty {
      remarks.append("more than \(Chart.mostSeries) lines, not drawn: \(chart.crowdedOut.text)")
    }
    if chart.droppedCount > 0 { remarks.append("\(chart.droppedCount) values were dropped (--buffer)") }
    return remarks
  }

  /// The device and the characteristic of all lines, for a chart without a command line around it; several are in the
  /// names of the lines.
  var subject: String {
    func sole(_ names: [String]) -> String? { Set(names).count == 1 ? names.first : nil }
    return [
      sole(chart.series.map { $0.deviceName ?? "\($0.key.address)" }), sole(chart.series.map(\.place)),
    ].compactMap(\.self).joined(separator: ", ")
  }

  /// The summary, such as `13 values in 12 s`.
  var summary: String {
    let count = chart.valueCount
    let seconds = TimeAxis.label(chart.newest.rounded(), step: 1)
    return "\(count) value\(count == 1 ? "" : "s") in \(seconds)"
  }
}
