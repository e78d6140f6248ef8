// SPDX-License-Identifier: MIT
package import TerminalOutput
package import ValueStreams

/// Draws a stream on the terminal as it comes, and leaves the last picture there.
package final class TerminalPlot: OutputSink {
  package let name = "the chart"
  /// Ten pictures a second are enough.
  package let interval = Duration.milliseconds(100)
  package let batchCost = 1 << 20
  private let console: Console
  private let view: LiveView
  private var chart: Chart
  private var hasDrawn = false

  package init(_ chart: Chart, on console: Console) {
    self.chart = chart
    self.console = console
    view = LiveView(console)
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    for event in events { chart.add(event) }
    try draw()
  }

  package func refresh() throws(OutputError) { if hasDrawn { try draw() } }

  /// The picture stays, below what stood on the terminal before.
  package func close() throws(OutputError) {
    guard hasDrawn else { return }
    do throws(ConsoleError) {
      try view.close()
      if chart.valueCount == 0 { return }
      var size = view.size
      size.rows -= 2  // the command above it, and the prompt below
      try console.write(lines: picture(size, footer: [ChartLegend(chart: chart).summary]))
    } catch {
      throw .final(error)
    }
  }

  private func draw() throws(OutputError) {
    hasDrawn = true
    let summary = ChartLegend(chart: chart).summary + "; Ctrl-C ends"
    let footer = [console.newestHeldNote, summary].compactMap(\.self)
    do throws(ConsoleError) {
      try view.draw { picture($0, footer: footer) }
    } catch {
      throw .final(error)
    }
  }

  private func picture(_ size: TerminalSize, footer: [String]) -> [String] {
    let glyphs = TerminalChart.Glyphs(term: Console.environment("TERM"))
    return TerminalChart(glyphs: glyphs, style: console.output.style).lines(chart, size: size, footer: footer)
  }
}
