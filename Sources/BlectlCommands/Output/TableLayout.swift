// SPDX-License-Identifier: MIT

/// Lays rows out in aligned columns for a terminal.
///
/// Cells are raw: what is harmful in them is written out here, so that no table can forget it.
struct TableLayout: Sendable {
  /// What stands above a column, and how its cells are placed.
  struct Column: Sendable {
    var title: String
    /// Whether the cells are pushed to the right, as numbers are.
    var isNumeric = false
    /// Whether this column gives way when the table is too wide; one column at most.
    var isFlexible = false
  }

  /// One field of a row.
  struct Cell: Sendable, Hashable, ExpressibleByStringLiteral {
    var text: String
    var style: TextStyle?

    init(_ text: String, style: TextStyle? = nil) {
      self.text = text
      self.style = style
    }

    init(stringLiteral value: String) {
      self.init(value)
    }
  }

  /// The columns from left to right.
  var columns: [Column]

  /// What a flexible column keeps, even when the table is then too wide.
  static let leastFlexibleWidth = 8

  /// Between two columns.
  private static let gap = "  "

  /// The header and the rows as lines without newlines.
  ///
  /// - Parameters:
  ///   - rows: the cells of each row; a short row is filled with empty cells, what a long one has too many is
  ///     dropped.
  ///   - width: the columns of the terminal, or nil when nothing is to be truncated.
  ///   - style: draws the header and the styled cells.
  /// - Returns: the header first; spaces at the end of a line are left out.
  func lines(rows: [[Cell]], width: Int?, style: Style = .plain) -> [String] {
    let header = columns.map { Cell($0.title, style: .bold) }
    let cells = ([header] + rows).map { row in
      columns.indices.map { column in
        column < row.count ? Cell(TerminalSafe.escaped(row[column].text), style: row[column].style) : ""
      }
    }
    let widths = self.widths(of: cells, within: width)
    return cells.map { line($0, widths: widths, style: style) }
  }

  /// The width of each column: that of its widest cell, unless it has to give way.
  private func widths(of cells: [[Cell]], within limit: Int?) -> [Int] {
    var widths = columns.indices.map { column in cells.map { DisplayWidth.of($0[column].text) }.max() ?? 0 }
    if let limit, let flexible = columns.firstIndex(where: \.isFlexible) {
      let total = widths.reduce(0, +) + Self.gap.utf8.count * (columns.count - 1)
      if total > limit {
        let least = min(widths[flexible], Self.leastFlexibleWidth)
        widths[flexible] = max(least, widths[flexible] - (total - limit))
      }
    }
    return widths
  }

  private func line(_ cells: [Cell], widths: [Int], style: Style) -> String {
    let last = cells.lastIndex { !$0.text.isEmpty } ?? -1
    return cells.indices.prefix(last + 1).map { column in
      let cell = cells[column]
      let text = DisplayWidth.truncated(cell.text, to: widths[column])
      let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.of(text)))
      // Colour goes on the text only, so that it neither counts nor fills the gaps.
      let drawn = cell.style.map { style.apply($0, to: text) } ?? text
      if columns[column].isNumeric { return padding + drawn }
      return column == last ? drawn : drawn + padding
    }.joined(separator: Self.gap)
  }
}
