// SPDX-License-Identifier: MIT
internal import Histories

/// Draws lines of a chart as dots.
struct ChartPainter {
  let chart: Chart
  let time: TimeAxis
  let axis: ValueAxis

  /// The distance, in characters, of the letters that distinguish lines without colour.
  private static let letterDistance = 20

  /// Draws some lines of the chart on one scale.
  func canvas(_ members: [Int], columns: Int, rows: Int) -> BrailleCanvas {
    var canvas = BrailleCanvas(columns: columns, rows: rows)
    for member in members { draw(member, on: &canvas) }
    if chart.series.count > 1 {
      for (order, member) in members.enumerated() { mark(member, order, of: members.count, on: &canvas) }
    }
    return canvas
  }

  private func draw(_ member: Int, on canvas: inout BrailleCanvas) {
    var previous: (x: Int, y: Int)?
    for bucket in chart.series[member].history.buckets where bucket.time >= time.start {
      let x = ChartPainter.dotColumn(time.position(of: bucket.time), columns: canvas.columns)
      func y(_ value: Double) -> Int { ChartPainter.dotRow(axis.position(of: value), of: canvas) }
      let first = (x: x, y: y(bucket.first))
      canvas.line(
        from: bucket.followsGap ? first : previous ?? first, to: first, owner: member)
      canvas.line(from: (x, y(bucket.low)), to: (x, y(bucket.high)), owner: member)
      previous = (x, y(bucket.last))
    }
  }

  /// Writes the letter of a line at its end, and at intervals before.
  private func mark(_ member: Int, _ order: Int, of count: Int, on canvas: inout BrailleCanvas) {
    let letter = TerminalChart.letter(of: member)
    let distance = ChartPainter.letterDistance
    let offset = order * distance / count
    let ends = (0..<canvas.columns).filter { canvas.row(ofOwner: member, column: $0) != nil }
    for column in ends where column == ends.last || (column + distance - offset) % distance == distance / 2 {
      guard let row = canvas.row(ofOwner: member, column: column) else { continue }
      canvas.letter(letter, column: column, row: row, owner: member)
    }
  }

  /// The row of dots for a position on the value scale; the greatest value is at the top.
  static func dotRow(_ position: Double, of canvas: BrailleCanvas) -> Int {
    Int(((1 - position) * Double(canvas.dotRows - 1)).rounded())
  }

  static func dotColumn(_ position: Double, columns: Int) -> Int {
    Int((position * Double(columns * 2 - 1)).rounded())
  }
}
