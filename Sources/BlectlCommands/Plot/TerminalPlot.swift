// SPDX-License-Identifier: MIT

/// Draws a stream on the terminal as it comes, and leaves the last picture there.
final class TerminalPlot: OutputSink {
  let name = "the chart"
  /// Ten pictures a second are enough.
  let interval = Duration.milliseconds(100)
  let batchCost = 1 << 20
  private let console: Console
  private let view: LiveView
  private var chart: Chart
  private var hasDrawn = false

  init(_ chart: Chart, on console: Console) {
    self.chart = chart
    self.console = console
    view = LiveView(console)
  }

  func write(_ events: [StreamEvent]) throws(OutputError) {
    for event in events { chart.add(event) }
    try draw()
  }

  func refresh() throws(OutputError) { if hasDrawn { try draw() } }

  /// The picture stays, below what stood on the terminal before.
  func close() throws(OutputError) {
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
