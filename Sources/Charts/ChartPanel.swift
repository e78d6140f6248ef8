// SPDX-License-Identifier: MIT

/// The lines of a chart that share a scale: those with the same unit, or without one those of the same name.
struct ChartPanel: Sendable, Hashable {
  /// The unit, or the name.
  let title: String
  /// Which lines, by their place in the chart.
  private(set) var members: [Int]
  private(set) var least: Double
  private(set) var greatest: Double

  /// The panels of a chart, in the order in which their first lines came.
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

  /// Of what is shown of a line; a line of which nothing is shown any more lies at its last value.
  private static func range(of series: ChartSeries, over time: TimeAxis) -> (Double, Double) {
    guard time.isWindow else { return (series.least, series.greatest) }
    let shown = series.history.buckets.filter { $0.time >= time.start }
    return (
      shown.map(\.low).min() ?? series.last, shown.map(\.high).max() ?? series.last
    )
  }
}
