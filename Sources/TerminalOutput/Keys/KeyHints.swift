// SPDX-License-Identifier: MIT

/// The line of a view that lists its keys, with words as far as there is room.
package struct KeyHints: Sendable, Hashable {
  /// A key, and what it does in a word.
  package struct Hint: Sendable, Hashable {
    let key: String
    let word: String

    package init(_ key: String, _ word: String) { (self.key, self.word) = (key, word) }
  }

  private static let gap = "  "

  private let hints: [Hint]

  /// - Parameter hints: those that explain themselves least first: the last words give way first.
  package init(_ hints: [Hint]) { self.hints = hints }

  /// The keys that move up and down, as a terminal can show them: the console of Linux may lack arrows.
  package static func arrows(term: String?) -> String { term == "linux" ? "jk" : "↑↓" }

  /// The line.
  ///
  /// - Parameters:
  ///   - prefix: safe text before the keys; it gives way when not even the keys alone fit behind it.
  ///   - columns: the width of the terminal.
  package func line(after prefix: String = "", columns: Int) -> String {
    let prefixes = prefix.isEmpty ? [""] : [prefix + KeyHints.gap, ""]
    for prefix in prefixes {
      for worded in (0...hints.count).reversed() {
        let line = prefix + text(worded: worded)
        if DisplayWidth.of(line) <= columns { return line }
      }
    }
    return DisplayWidth.truncated(text(worded: 0), to: columns)
  }

  /// The keys, the first of them with their words.
  private func text(worded: Int) -> String {
    hints.enumerated().map { index, hint in index < worded ? "\(hint.key) \(hint.word)" : hint.key }
      .joined(separator: KeyHints.gap)
  }
}
