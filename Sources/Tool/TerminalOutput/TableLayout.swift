// SPDX-License-Identifier: MIT

/// Lays rows out in aligned columns for a terminal; cells are raw, and made safe here.
package struct TableLayout: Sendable {
  /// The title of a column, and the layout of its cells.
  package struct Column: Sendable {
    let title: String
    /// True if the cells are aligned to the right, like numbers.
    let isNumeric: Bool
    /// True if this column shrinks when the table is too wide; the rightmost shrinks first.
    let isFlexible: Bool
    /// The least width of a flexible column, even if the table is then too wide.
    let leastWidth: Int
    /// True if it is left out when the table is still too wide; the rightmost goes first.
    let isDispensable: Bool

    package init(
      title: String, isNumeric: Bool = false, isFlexible: Bool = false, leastWidth: Int = 8,
      isDispensable: Bool = false
    ) {
      self.title = title
      self.isNumeric = isNumeric
      self.isFlexible = isFlexible
      self.leastWidth = leastWidth
      self.isDispensable = isDispensable
    }
  }

  package struct Cell: Sendable, Hashable, ExpressibleByStringLiteral {
    package var text: String
    var style: TextStyle?
    /// True if it is cut between its parts, or else between words, and within no number.
    var isList = false
    /// The end of the text that stays when the text is cut before it.
    var end = ""

    package init(_ text: String, style: TextStyle? = nil) {
      self.text = text
      self.style = style
    }

    /// Creates a text that is cut in front of its end, since the end distinguishes it.
    package init(_ beginning: String, end: String, style: TextStyle? = nil) {
      self.init(beginning + end, style: style)
      self.end = end
    }

    /// Creates a list, of which a narrow column has the first parts.
    package init(list: [String], style: TextStyle? = nil) {
      self.init(list.joined(separator: DisplayWidth.listSeparator), style: style)
      isList = true
    }

    /// The cell as a terminal may have it.
    fileprivate var escaped: Cell {
      var cell = self
      cell.text = TerminalSafe.escaped(text)
      cell.end = TerminalSafe.escaped(end)
      return cell
    }

    fileprivate func truncated(to width: Int) -> String {
      let room = width - DisplayWidth.of(end)
      if !end.isEmpty, room > 1, DisplayWidth.of(text) > width {
        return DisplayWidth.truncated(String(text.dropLast(end.count)), to: room) + end
      }
      return isList ? DisplayWidth.truncated(list: text, to: width) : DisplayWidth.truncated(text, to: width)
    }

    package init(stringLiteral value: String) {
      self.init(value)
    }
  }

  var columns: [Column]

  private static let gap = "  "

  package init(columns: [Column]) { self.columns = columns }

  /// The header and rows as lines, truncated to any `width`; missing cells are empty, surplus ones dropped.
  package func lines(rows: [[Cell]], width: Int?, style: Style = .plain) -> [String] {
    let header = columns.map { Cell($0.title, style: .bold) }
    let cells = ([header] + rows).map { row in
      columns.indices.map { column in
        column < row.count ? row[column].escaped : ""
      }
    }
    let widths = self.widths(of: cells, within: width)
    return cells.map { line($0, widths: widths, style: style, isTerminal: width != nil) }
  }

  /// The width of each column: that of its widest cell, unless it must shrink; nil if it is left out.
  private func widths(of cells: [[Cell]], within limit: Int?) -> [Int?] {
    let natural = columns.indices.map { column in cells.map { DisplayWidth.of($0[column].text) }.max() ?? 0 }
    var widths: [Int?] = natural
    guard let limit else { return widths }
    func excess() -> Int {
      let kept = widths.compactMap(\.self)
      return kept.reduce(0, +) + Self.gap.utf8.count * (kept.count - 1) - limit
    }
    for column in columns.indices.reversed() where columns[column].isDispensable && excess() > 0 {
      if cells.dropFirst().allSatisfy({ $0[column].text.isEmpty }) { widths[column] = nil }
    }
    for column in columns.indices.reversed() where columns[column].isFlexible && widths[column] != nil {
      let least = min(natural[column], columns[column].leastWidth)
      widths[column] = max(least, natural[column] - max(0, excess()))
    }
    for column in columns.indices.reversed() where columns[column].isDispensable && excess() > 0 {
      widths[column] = nil
    }
    // The width of omitted columns goes to the others.
    for column in columns.indices where columns[column].isFlexible && excess() < 0 {
      widths[column] = widths[column].map { min(natural[column], $0 - excess()) }
    }
    return widths
  }

  /// A row as a line; on a terminal, sequences may move the cursor to the next cell.
  private func line(_ cells: [Cell], widths: [Int?], style: Style, isTerminal: Bool) -> String {
    let shown = cells.indices.filter { widths[$0] != nil }
    guard let last = shown.last(where: { !cells[$0].text.isEmpty }) else { return "" }
    var line = ""
    var start = 0
    for column in shown where column <= last {
      let width = widths[column] ?? 0
      let text = cells[column].truncated(to: width)
      let padding = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
      // Only the text is coloured, so that colour has no width and does not fill the gaps.
      let drawn = cells[column].style.map { style.apply($0, to: text) } ?? text
      line += columns[column].isNumeric ? padding + drawn : drawn
      start += width + Self.gap.utf8.count
      if column == last { break }
      if !columns[column].isNumeric { line += padding }
      line += Self.gap
      // If terminals disagree about a width, a sequence moves the cursor to the next column.
      if isTerminal, !DisplayWidth.isCertain(text) { line += "\u{1b}[\(start + 1)G" }
    }
    return line
  }
}
