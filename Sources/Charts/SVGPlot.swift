// SPDX-License-Identifier: MIT
package import ValueStreams

/// Writes a stream as a chart in SVG when it ends.
package final class SVGPlot: OutputSink {
  package var name: String { file.path }
  package let interval = Duration.milliseconds(500)
  package let batchCost = 1 << 20
  private let file: AtomicFile
  private var chart: Chart

  /// - Throws: why the file could not be written.
  package init(_ chart: Chart, path: String) throws(OutputError) {
    self.chart = chart
    file = try AtomicFile(path: path)
  }

  package func write(_ events: [StreamEvent]) { for event in events { chart.add(event) } }

  package func close() throws(OutputError) {
    try file.write(Array(SVGChart(chart: chart).text.utf8))
  }
}
