// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Histories
internal import TerminalOutput
package import ValueStreams

/// A chart in SVG 1.1: the same panels, scales and legend as on a terminal.
struct SVGChart {
  let chart: Chart

  private static let width = 960.0
  private static let left = 90.0
  private static let right = 30.0
  private static let lineHeight = 20.0

  /// Dark enough on white; different dashes distinguish them in grey print.
  private static let strokes: [(color: String, dashes: String)] = [
    ("#0072b2", ""), ("#d55e00", "7 3"), ("#009e73", "2 2"), ("#a04585", "9 3 2 3"), ("#6a5d00", "1 3"),
    ("#444444", "12 4"),
  ]

  var text: String {
    let time = TimeAxis(newest: chart.newest, window: chart.window)
    let panels = ChartPanel.panels(of: chart, over: time)
    let height = panels.count == 1 ? 320.0 : 180.0
    var body = ""
    var top = 50.0
    for panel in panels {
      let axis = ValueAxis(from: panel.least, to: panel.greatest, mostTicks: Int(height / 40))
      let frame = Frame(top: top, height: height - 40, axis: axis, time: time)
      body += drawn(panel, in: frame, isLast: panel == panels.last)
      top += height
    }
    if panels.isEmpty { body += label("no values", x: SVGChart.left, y: top) }
    let (legend, bottom) = legend(from: top + 10)
    return header(height: bottom + 10) + body + legend + "</svg>\n"
  }

  private struct Frame {
    let top: Double
    let height: Double
    let axis: ValueAxis
    let time: TimeAxis

    func x(_ seconds: Double) -> Double {
      SVGChart.left + time.position(of: seconds) * (SVGChart.width - SVGChart.left - SVGChart.right)
    }
    func y(_ value: Double) -> Double { top + (1 - axis.position(of: value)) * height }
  }

  private func header(height: Double) -> String {
    let (width, height) = (SVGChart.digits(SVGChart.width), SVGChart.digits(height))
    let begin = chart.start.map { "from \($0.local), " } ?? ""
    let legend = ChartLegend(chart: chart)
    let title = (legend.subject.isEmpty ? "" : legend.subject + ": ") + begin + legend.summary
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      role="img" font-family="sans-serif" font-size="13" fill="#222222">
      <title>\(XMLText.escaped(title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(label(title, x: SVGChart.left, y: 24))
      """
  }

  private func drawn(_ panel: ChartPanel, in frame: Frame, isLast: Bool) -> String {
    let (left, right) = (SVGChart.digits(SVGChart.left), SVGChart.digits(SVGChart.width - SVGChart.right))
    var text = label(panel.title, x: SVGChart.left, y: frame.top - 8, more: "font-weight=\"bold\"")
    for tick in frame.axis.ticks {
      let y = SVGChart.digits(frame.y(tick.value))
      text += "<path d=\"M\(left) \(y)H\(right)\" stroke=\"#dddddd\"/>\n"
      text += label(
        tick.label, x: SVGChart.left - 8, y: frame.y(tick.value) + 4, more: "text-anchor=\"end\"")
    }
    let (top, bottom) = (SVGChart.digits(frame.top), SVGChart.digits(frame.top + frame.height))
    text += "<path d=\"M\(left) \(top)V\(bottom)H\(right)\" fill=\"none\" stroke=\"#222222\"/>\n"
    for tick in frame.time.ticks(most: 10) {
      let x = SVGChart.digits(frame.x(tick.time))
      text += "<path d=\"M\(x) \(bottom)v5\" stroke=\"#222222\"/>\n"
      if isLast {
        text += label(
          tick.label, x: frame.x(tick.time), y: frame.top + frame.height + 20, more: "text-anchor=\"middle\"")
      }
    }
    for member in panel.members { text += line(member, in: frame) }
    return text
  }

  /// One line of the chart, with its letter at its end if there are several.
  private func line(_ member: Int, in frame: Frame) -> String {
    let buckets = chart.series[member].history.buckets.filter { $0.time >= frame.time.start }
    var path = ""
    for (index, bucket) in buckets.enumerated() {
      let x = SVGChart.digits(frame.x(bucket.time))
      let isStart = index == 0 || bucket.followsGap
      path += "\(isStart ? "M" : "L")\(x) \(SVGChart.digits(frame.y(bucket.first)))"
      if bucket.low != bucket.high {
        for value in [bucket.low, bucket.high, bucket.last] {
          path += "V" + SVGChart.digits(frame.y(value))
        }
      } else if isStart {
        path += "h0"  // with round ends, an isolated value is a dot
      }
    }
    guard let last = buckets.last else { return "" }
    var text =
      "<path d=\"\(path)\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\""
      + " \(stroke(member))/>\n"
    if chart.series.count > 1 {
      text += label(
        String(TerminalChart.letter(of: member)), x: frame.x(last.time) + 5, y: frame.y(last.last) + 4)
    }
    return text
  }

  private func stroke(_ member: Int) -> String {
    let stroke = SVGChart.strokes[member % SVGChart.strokes.count]
    let dashes = stroke.dashes.isEmpty ? "" : " stroke-dasharray=\"\(stroke.dashes)\""
    return "stroke=\"\(stroke.color)\" stroke-width=\"2\"\(dashes)"
  }

  private func legend(from top: Double) -> (text: String, bottom: Double) {
    var (text, y) = ("", top)
    for (index, label) in chart.series.labels.enumerated() {
      let series = chart.series[index]
      let unit = series.unit.isEmpty ? "" : " " + series.unit
      let numbers = [("min", series.least), ("max", series.greatest), ("last", series.last)]
        .map { "\($0) \(ChartNumber.exact($1))\(unit)" }.joined(separator: ", ")
      text += "<path d=\"M90 \(SVGChart.digits(y - 4))h40\" \(stroke(index))/>\n"
      text += self.label(
        "\(TerminalChart.letter(of: index))  \(label): \(numbers)", x: SVGChart.left + 50, y: y)
      y += SVGChart.lineHeight
    }
    for remark in ChartLegend(chart: chart).remarks {
      text += label(remark, x: SVGChart.left, y: y)
      y += SVGChart.lineHeight
    }
    return (text, y)
  }

  private func label(_ text: String, x: Double, y: Double, more: String = "") -> String {
    let place = "x=\"\(SVGChart.digits(x))\" y=\"\(SVGChart.digits(y))\""
    return "<text \(place)\(more.isEmpty ? "" : " " + more)>\(XMLText.escaped(text))</text>\n"
  }

  private static func digits(_ number: Double) -> String { ChartNumber.fixed(number, decimals: 1) }
}

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
