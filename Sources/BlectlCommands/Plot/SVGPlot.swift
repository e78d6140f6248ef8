// SPDX-License-Identifier: MIT

/// Writes a stream as a chart in SVG when it ends.
final class SVGPlot: OutputSink {
  var name: String { file.path }
  let interval = Duration.milliseconds(500)
  let batchCost = 1 << 20
  private let file: AtomicFile
  private var chart: Chart

  /// - Throws: why the file could not be written.
  init(_ chart: Chart, path: String) throws(OutputError) {
    self.chart = chart
    file = try AtomicFile(path: path)
  }

  func write(_ events: [StreamEvent]) { for event in events { chart.add(event) } }

  func close() throws(OutputError) {
    try file.write(Array(SVGChart(chart: chart).text.utf8))
  }
}
