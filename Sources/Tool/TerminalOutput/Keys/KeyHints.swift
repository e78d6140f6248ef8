// SPDX-License-Identifier: MIT

/// The line of a view that lists its keys, with as many words as fit.
package struct KeyHints: Sendable, Hashable {
  /// A key, and its effect in a word.
  package struct Hint: Sendable, Hashable {
    let key: String
    let word: String
    /// The lightest hints lose their words first: those of keys that explain themselves.
    let weight: Int

    package init(_ key: String, _ word: String, weight: Int = 0) {
      (self.key, self.word, self.weight) = (key, word, weight)
    }
  }

  private static let gap = "  "

  private let hints: [Hint]

  /// - Parameter hints: from left to right; of two with the same weight, the right one loses its word first.
  package init(_ hints: [Hint]) { self.hints = hints }

  /// The keys that move up and down, as a terminal can show them: the console of Linux may lack arrows.
  package static func arrows(term: String?) -> String { term == "linux" ? "jk" : "↑↓" }

  /// Makes a line that fits `columns`; the safe prefix is dropped if not even the keys alone fit after it.
  package func line(after prefix: String = "", columns: Int) -> String {
    let order = hints.indices.sorted { (hints[$0].weight, -$0) < (hints[$1].weight, -$1) }
    for prefix in prefix.isEmpty ? [""] : [prefix + KeyHints.gap, ""] {
      for wordless in 0...hints.count {
        let line = prefix + text(without: order.prefix(wordless))
        if DisplayWidth.of(line) <= columns { return line }
      }
    }
    return DisplayWidth.truncated(text(without: order[...]), to: columns)
  }

  private func text(without wordless: ArraySlice<Int>) -> String {
    hints.enumerated().map { index, hint in
      wordless.contains(index) ? hint.key : "\(hint.key) \(hint.word)"
    }.joined(separator: KeyHints.gap)
  }
}
