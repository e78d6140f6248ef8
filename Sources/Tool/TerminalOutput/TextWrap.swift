// SPDX-License-Identifier: MIT

/// Breaks lines between words instead of anywhere.
package struct TextWrap {
  /// The columns of the terminal.
  let width: Int
  /// The indent of further lines.
  let hanging: Int

  private var lines: [String] = []
  private var line = ""
  private var columns = 0
  /// True if the line has a word yet.
  private var hasWord = false

  private init(width: Int, hanging: Int) {
    self.width = max(1, width)
    self.hanging = min(hanging, TextWrap.most(of: self.width))
  }

  /// The maximum indent, which leaves space for words.
  private static func most(of width: Int) -> Int { (width - 1) / 2 }

  /// Wraps safe text, perhaps coloured, to lines that fit; breaks wider words, and indents by `hanging`.
  package static func lines(_ text: String, width: Int?, hanging: Int) -> [String] {
    guard let width, text.utf8.count > width else { return [text] }
    var wrap = TextWrap(width: width, hanging: hanging)
    var rest = text[...]
    while !rest.isEmpty {
      let gap = rest.prefix { $0 == " " }
      rest = rest[gap.endIndex...]
      let word = rest.prefix { $0 != " " }
      rest = rest[word.endIndex...]
      wrap.add(word, behind: gap)
    }
    return wrap.lines + [wrap.line]
  }

  private mutating func add(_ word: Substring, behind gap: Substring) {
    let parts = TextWrap.parts(of: word)
    let needed = parts.reduce(0) { $0 + $1.columns }
    if hasWord, columns + gap.count + needed > width {
      startLine()
    } else {
      let gap = hasWord ? gap : gap.prefix(TextWrap.most(of: width))
      line += gap
      columns += gap.count
    }
    for part in parts {
      if columns + part.columns > width, hasWord { startLine() }
      line += part.text
      columns += part.columns
      hasWord = hasWord || part.columns > 0
    }
  }

  private mutating func startLine() {
    lines.append(line)
    line = String(repeating: " ", count: hanging)
    columns = hanging
    hasWord = false
  }

  /// The characters of a word, and the sequences that colour it, which have no width.
  private static func parts(of word: Substring) -> [(text: Substring, columns: Int)] {
    var parts: [(Substring, Int)] = []
    var rest = word
    while let first = rest.first {
      let end =
        first == "\u{1b}"
        ? rest.firstIndex(of: "m").map { rest.index(after: $0) } ?? rest.endIndex
        : rest.index(after: rest.startIndex)
      let part = rest[..<end]
      parts.append((part, first == "\u{1b}" ? 0 : DisplayWidth.of(part)))
      rest = rest[end...]
    }
    return parts
  }
}
