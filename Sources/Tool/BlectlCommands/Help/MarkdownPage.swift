// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// Formats a page of `docs/` for a terminal: headings in capitals, tables in two columns, code indented.
///
/// It supports the Markdown of those pages: headings, paragraphs, lists of one level, tables and fenced code.
struct MarkdownPage {
  private enum Block {
    case heading(String, level: Int)
    case paragraph(String)
    /// `mark` is `- `, or a number such as `1. `.
    case item(mark: String, String)
    case code([String])
    /// `key` is what its rows are values of, if its first heading is one, and not an option.
    case table([[String]], key: String?)
  }

  private let blocks: [Block]

  /// Parses Markdown, without the section whose heading is `omitted`.
  init(_ text: String, without omitted: String? = nil) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    var blocks: [Block] = []
    var isOmitted = false
    while !lines.isEmpty {
      let block = MarkdownPage.next(&lines)
      if case .heading(let title, 1...2) = block { isOmitted = title == omitted }
      if let block, !isOmitted { blocks.append(block) }
    }
    self.blocks = blocks
  }

  // MARK: Reading

  /// Consumes the next block; nil for an empty line.
  private static func next(_ lines: inout ArraySlice<Substring>) -> Block? {
    let line = lines.removeFirst()
    if line.isEmpty { return nil }
    if line.hasPrefix("#") {
      return .heading(plain(line.drop { $0 == "#" || $0 == " " }), level: line.prefix { $0 == "#" }.count)
    }
    if line.hasPrefix("```") {
      let code = lines.prefix { !$0.hasPrefix("```") }
      lines = lines.dropFirst(code.count + 1)
      return .code(code.map(String.init))
    }
    if line.hasPrefix("|") {
      let rows = [line] + lines.prefix { $0.hasPrefix("|") }
      lines = lines.dropFirst(rows.count - 1)
      let table = rows.enumerated().filter { $0.offset != 1 }.map { cells($0.element) }
      let isKey = line.hasPrefix("| `") && !line.hasPrefix("| `-")
      return .table(table, key: isKey ? table[0].first : nil)
    }
    let mark = mark(of: line)
    let rest = lines.prefix { line in
      !line.isEmpty && !["#", "|", "```"].contains { line.hasPrefix($0) } && Self.mark(of: line).isEmpty
    }
    lines = lines.dropFirst(rest.count)
    let text = plain(([line.dropFirst(mark.count)] + rest).joined(separator: " "))
    return mark.isEmpty ? .paragraph(text) : .item(mark: String(mark), text)
  }

  /// The mark of an item at the beginning of a line; empty without one.
  private static func mark(of line: Substring) -> Substring {
    line.prefixMatch(of: /-\ |[0-9]{1,2}\.\ /)?.output ?? ""
  }

  /// The cells of a row; `\|` is not a separator.
  private static func cells(_ row: Substring) -> [String] {
    row.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false).dropFirst()
      .dropLast()
      .map { cell in
        String(
          plain(cell.replacing("\u{0}", with: "|")).drop { $0 == " " }.reversed().drop { $0 == " " }
            .reversed())
      }
  }

  /// Removes the markup for code, emphasis and links.
  private static func plain(_ text: some StringProtocol) -> String {
    String(text).replacing(/\[([^\]]*)\]\([^)]*\)/) { "\($0.1)" }.replacing("`", with: "").replacing(
      "**", with: "")
  }

  // MARK: Showing

  /// The page in lines of at most that width, if the words allow it.
  func lines(width: Int) -> [String] {
    var lines: [String] = []
    var wasItem = false
    for block in blocks {
      let isItem = if case .item = block { true } else { false }
      if !lines.isEmpty, !(isItem && wasItem) { lines.append("") }
      wasItem = isItem
      switch block {
      case .heading(let title, _): lines.append(title.uppercased())
      case .paragraph(let text): lines += MarkdownPage.wrapped(text, width)
      case .item(let mark, let text):
        lines += MarkdownPage.hanging(mark, text, indent: mark.count, width)
      case .code(let code): lines += code.map { $0.isEmpty ? "" : "  " + $0 }
      case .table(let rows, let key):
        if let key { lines.append("\(key):") }
        lines += MarkdownPage.table(rows, width)
      }
    }
    return lines
  }

  /// The first cell on the left, and the others next to it, or below it if it is long.
  private static func table(_ rows: [[String]], _ width: Int) -> [String] {
    let body = rows.dropFirst().filter { !$0.isEmpty }
    let longest = body.map { DisplayWidth.of($0[0]) }.filter { $0 <= 22 }.max() ?? 0
    let indent = longest + 4
    return body.flatMap { row -> [String] in
      let text = row.dropFirst().filter { !$0.isEmpty }.joined(separator: "; ")
      let name = "  " + row[0]
      if DisplayWidth.of(name) + 2 > indent, !text.isEmpty {
        return wrapped(row[0], width - 2).map { "  " + $0 } + hanging("", text, indent: indent, width)
      }
      return hanging(DisplayWidth.padded(name, to: indent), text, indent: indent, width)
    }
  }

  /// A text after a label, with its further lines indented to the same column.
  static func hanging(_ first: String, _ text: String, indent: Int, _ width: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    let lines = wrapped(text, max(20, width - indent))
    return lines.enumerated().map { index, line in
      if index > 0 || first.isEmpty { return margin + line }
      return line.isEmpty ? trimmed(first) : DisplayWidth.padded(first, to: indent) + line
    }
  }

  private static func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }

  /// Wraps a text to a number of columns; a longer word gets its own line.
  static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if DisplayWidth.of(last) + 1 + DisplayWidth.of(word) <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
