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
  private let keys: LiveKeys?
  private var chart: Chart
  /// The picture during a pause, while values are still added to the chart.
  private var frozen: Chart?
  private var hasDrawn = false

  /// `chart` is empty, and keeps all if there are `keys`, which are nil without a keyboard.
  package init(_ chart: Chart, on console: Console, keys: LiveKeys? = nil) {
    self.chart = chart
    self.console = console
    self.keys = keys
    view = LiveView(console)
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    for event in events { chart.add(event) }
    try draw()
  }

  package func refresh() throws(OutputError) {
    takeKeys()
    if hasDrawn { try draw() }
  }

  private func takeKeys() { for key in keys?.take() ?? [] { press(key) } }

  private func press(_ key: Key) {
    switch key {
    case .character("q"): keys?.finish()
    case .character("p"): frozen = frozen == nil ? chart : nil
    case .character("+"), .character("="):
      show(window: PlotWindow.longer(than: chart.window, newest: (frozen ?? chart).newest))
    case .character("-"):
      show(window: PlotWindow.shorter(than: chart.window, newest: (frozen ?? chart).newest))
    default: break
    }
  }

  private func show(window: Double?) {
    chart.show(window: window)
    frozen?.show(window: window)
  }

  /// The picture stays, below the earlier output.
  package func close() throws(OutputError) {
    guard hasDrawn else { return }
    do throws(ConsoleError) {
      try view.close()
      if chart.valueCount == 0 { return }
      var size = view.size
      size.rows -= 2  // the command above it, and the prompt below
      try console.write(lines: picture(chart, size, footer: [ChartLegend(chart: chart).summary]))
    } catch {
      throw .final(error)
    }
  }

  private func draw() throws(OutputError) {
    hasDrawn = true
    takeKeys()
    let note = console.newestHeldNote
    do throws(ConsoleError) {
      try view.draw { size in
        picture(frozen ?? chart, size, footer: [note, summary(columns: size.columns)].compactMap(\.self))
      }
    } catch {
      throw .final(error)
    }
  }

  private func summary(columns: Int) -> String {
    let summary = (frozen == nil ? "" : "paused, ") + ChartLegend(chart: chart).summary
    guard keys != nil, TerminalRestorer.canReadKeys else { return summary + "; Ctrl-C ends" }
    return KeyHints([
      .init("q", "end"), .init("p", frozen == nil ? "pause" : "resume"), .init("+-", "window"),
    ]).line(after: summary, columns: columns)
  }

  private func picture(_ chart: Chart, _ size: TerminalSize, footer: [String]) -> [String] {
    let glyphs = TerminalChart.Glyphs(term: Console.environment("TERM"))
    return TerminalChart(glyphs: glyphs, style: console.output.style).lines(chart, size: size, footer: footer)
  }
}

/// The window of a live chart, which keys change in round steps.
enum PlotWindow {
  private static let lengths = [1, 2, 5] + TimeAxis.lengths

  /// The next longer window in seconds; nil, which is everything, once the window holds `newest` seconds.
  static func longer(than window: Double?, newest: Double) -> Double? {
    guard let window, window < newest else { return nil }
    return lengths.first { $0 > window }
  }

  /// The next shorter window; from everything, the longest that hides something.
  static func shorter(than window: Double?, newest: Double) -> Double {
    lengths.last { $0 < window ?? newest } ?? lengths[0]
  }
}
