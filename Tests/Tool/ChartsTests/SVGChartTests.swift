// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BLECentral
@testable import Charts
@testable import Histories
@testable import TerminalOutput
@testable import ValueStreams

@Suite("SVGChart")
struct SVGChartTests {
  @Test("Text within XML cannot end it, and characters that XML cannot hold are written out")
  func escaping() {
    #expect(XMLText.escaped("<a b=\"c\">&'") == "&lt;a b=&quot;c&quot;&gt;&amp;&#39;")
    #expect(XMLText.escaped("漢 é 👍") == "漢 é 👍")
    #expect(XMLText.escaped("\u{1b}\u{0}\u{ffff}\u{fffe}\u{85}") == "\\u{1b}\\u{0}\\u{ffff}\\u{fffe}\\u{85}")
  }

  @Test("Each line has a path, a legend, and a stroke of its own")
  func lines() throws {
    var chart = Chart()
    chart.add(SampleStream.values([[0, 60], [0, 70]], name: "</text><script>"))
    chart.add(SampleStream.values([[0, 80]], address: try ChartTests.address(1), name: "Other & more"))
    let text = SVGChart(chart: chart).text
    #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "))
    #expect(text.hasSuffix("</svg>\n"))
    #expect(!text.contains("<script>"))
    #expect(
      text.contains("A  &lt;/text&gt;&lt;script&gt; heart_rate_bpm: min 60 bpm, max 70 bpm, last 70 bpm"))
    #expect(text.contains("B  Other &amp; more heart_rate_bpm: min 80 bpm"))
    #expect(text.contains("stroke-dasharray"))
    // The first: from the left end, up; in ten seconds, of which one has passed.
    #expect(text.contains("<path d=\"M90.0 330.0h0L174.0 "))
  }

  @Test("The title names the device and the characteristic that all lines have in common")
  func subject() throws {
    var chart = Chart()
    #expect(ChartLegend(chart: chart).subject.isEmpty)
    chart.add(SampleStream.values([[0, 60]], name: "Strap"))
    let subject = ChartLegend(chart: chart).subject
    #expect(subject.hasPrefix("Strap, "))
    #expect(SVGChart(chart: chart).text.contains("<title>\(subject): from "))
    chart.add(SampleStream.values([[0, 80]], address: try ChartTests.address(1), name: "Other"))
    #expect(!ChartLegend(chart: chart).subject.contains("Strap"))
  }

  @Test("A line that was broken is drawn in pieces")
  func gap() {
    var chart = Chart()
    chart.add(SampleStream.values([[0, 60], [0, 70]]))
    chart.add(SampleStream.lost("out of range"))
    chart.add(SampleStream.values([[0, 60], [0, 62], [0, 64]]))
    let path = SVGChart(chart: chart).text.split(separator: "\n").first { $0.contains("stroke-linejoin") }
    #expect(path?.split(separator: "M").count == 3)
  }

  @Test("A chart without lines says so")
  func empty() { #expect(SVGChart(chart: Chart()).text.contains(">no values<")) }

  @Test("A file is there as a whole, in place of what was there, or not at all")
  func file() throws {
    let folder = try ScratchDirectory()
    try folder.write("chart.svg", Array("old".utf8))
    let plot = try SVGPlot(Chart(), path: "\(folder.path)/chart.svg")
    plot.write([SampleStream.values([[0, 60]])])
    #expect(folder.read("chart.svg") == "old")
    try plot.close()
    #expect(folder.read("chart.svg").hasSuffix("</svg>\n"))
    #expect(folder.names == ["chart.svg"])
  }

  @Test("Devices, links and folders are not written to")
  func refused() throws {
    let folder = try ScratchDirectory()
    symlink("/dev/null", "\(folder.path)/link.svg")
    for path in ["/dev/null", "\(folder.path)/link.svg", folder.path] {
      #expect(throws: OutputError("it is not a regular file")) { try AtomicFile(path: path) }
    }
    #expect(throws: OutputError("No such file or directory")) {
      try AtomicFile(path: "\(folder.path)/no/chart.svg")
    }
  }
}

@Suite("The window of a live chart")
struct PlotWindowTests {
  @Test("A window grows and shrinks in round steps; one that holds everything grows to all that comes")
  func steps() {
    #expect(PlotWindow.shorter(than: nil, newest: 12) == 10)
    #expect(PlotWindow.shorter(than: 10, newest: 12) == 5)
    #expect(PlotWindow.shorter(than: 1, newest: 12) == 1)
    #expect(PlotWindow.shorter(than: nil, newest: 0) == 1)
    #expect(PlotWindow.longer(than: 5, newest: 12) == 10)
    #expect(PlotWindow.longer(than: 10, newest: 12) == 20)
    #expect(PlotWindow.longer(than: 20, newest: 12) == nil)
    #expect(PlotWindow.longer(than: nil, newest: 12) == nil)
    #expect(PlotWindow.longer(than: 45, newest: 100) == 60)
  }

  @Test("A longer window shows again what a shorter one has hidden; a shorter one keeps its detail")
  func history() {
    var chart = Chart(keepsAll: true)
    for second in 0..<100 { chart.add(SampleStream.values([[0, UInt8(second)]], second: second)) }
    #expect(chart.series[0].history.buckets.count == 100)
    chart.show(window: 10)
    #expect(chart.series[0].history.buckets.map(\.time).first == 89)
    chart.add(SampleStream.lost("out of range"))
    for second in 100..<200 { chart.add(SampleStream.values([[0, 1]], second: second)) }
    chart.show(window: 150)
    #expect(chart.series[0].history.buckets.map(\.time) == (49..<200).map(Double.init))
    #expect(chart.series[0].history.buckets.filter(\.followsGap).map(\.time) == [100])
    chart.show(window: nil)
    #expect(chart.series[0].history.buckets.map(\.time) == (0..<200).map(Double.init))
    #expect(chart.window == nil)
  }

  @Test("A day in a window of a minute still shows each second of it, and stays in bounds")
  func detail() {
    var history = ChartHistory(window: 60)
    var whole = ChartHistory()
    for second in 0..<86_400 {
      history.add(1, at: Double(second))
      whole.add(1, at: Double(second))
    }
    let longer = ChartHistory(window: 3600, coarse: whole, fine: history)
    #expect(longer.buckets.count <= ChartHistory.capacity)
    #expect(longer.buckets.suffix(60).map(\.time) == (86_340..<86_400).map(Double.init))
    #expect(longer.buckets.first.map { $0.time >= 82_799 && $0.time < 82_900 } == true)
    let shorter = ChartHistory(window: 10, coarse: whole, fine: longer)
    #expect(shorter.buckets.count == 11)
  }

  @Test("While the picture pauses, values are counted and kept; then it shows them")
  func pause() throws {
    let captured = CapturedConsole()
    let keys = LiveKeys()
    let plot = TerminalPlot(Chart(keepsAll: true), on: captured.console(isTerminal: true), keys: keys)
    try plot.write([SampleStream.values([[0, 60], [0, 70]])])
    keys.add([.character("p")])
    try plot.refresh()
    #expect(captured.output.last?.contains("paused, 2 values in 1 s") == true)
    try plot.write([SampleStream.values([[0, 200]], second: 5)])
    let paused = try #require(captured.output.last)
    #expect(paused.contains("paused, 3 values in 5 s") && !paused.contains("200"))
    keys.add([.character("p"), .character("-")])
    try plot.refresh()
    let shown = try #require(captured.output.last)
    #expect(shown.contains("3 values in 5 s") && !shown.contains("paused") && shown.contains("200"))
    #expect(shown.contains("now"))
    keys.add([.character("+"), .character("="), .character("x"), .up])
    try plot.refresh()
    #expect(captured.output.last?.contains("now") == false)
    try plot.close()
    #expect(captured.output.last?.contains("3 values in 5 s") == true)
  }
}
