// SPDX-License-Identifier: MIT
import Glibc
import Testing

@testable import BLECentral
@testable import BlectlCommands
@testable import Charts
@testable import TerminalOutput
@testable import ValueStreams

@Suite("SVGChart")
struct SVGChartTests {
  @Test("Text within XML cannot end it, and what XML cannot hold is written out")
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

  @Test("A line that was broken is drawn in pieces")
  func gap() {
    var chart = Chart()
    chart.add(SampleStream.values([[0, 60], [0, 70]]))
    chart.add(SampleStream.lost("out of range"))
    chart.add(SampleStream.values([[0, 60], [0, 62], [0, 64]]))
    let path = SVGChart(chart: chart).text.split(separator: "\n").first { $0.contains("stroke-linejoin") }
    #expect(path?.split(separator: "M").count == 3)
  }

  @Test("A chart of nothing says so")
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
