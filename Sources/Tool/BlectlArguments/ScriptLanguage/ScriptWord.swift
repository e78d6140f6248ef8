// SPDX-License-Identifier: MIT

/// A word of a line: text and variables, which are replaced by their values when the line runs.
package struct ScriptWord: Sendable, Hashable {
  package enum Part: Sendable, Hashable {
    case text(String)
    /// `$NAME` or `${NAME}`.
    case variable(String, ScriptPlace)
  }

  /// The position of its first character.
  package let place: ScriptPlace
  package let parts: [Part]

  /// The text of a word without variables; nil if it has any.
  package var literal: String? {
    var text = ""
    for part in parts {
      guard case .text(let piece) = part else { return nil }
      text += piece
    }
    return text
  }

  package var variables: [(name: String, place: ScriptPlace)] {
    parts.compactMap { part in
      if case .variable(let name, let place) = part { (name, place) } else { nil }
    }
  }

  /// Returns the word with the values of its variables; nil if one has none.
  package func expanded(_ values: [String: String]) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let piece): text += piece
      case .variable(let name, _):
        guard let value = values[name] else { return nil }
        text += value
      }
    }
    return text
  }
}

/// A line of a script that is not empty.
package struct ScriptLine: Sendable, Hashable {
  /// The position of its first word.
  package let place: ScriptPlace
  /// The words, at least one.
  package let words: [ScriptWord]
  /// The line as written, without the blanks around it.
  package let source: String

  /// Returns the words with the values of their variables; nil if a variable has none.
  package func expanded(_ values: [String: String]) -> [String]? {
    var texts: [String] = []
    for word in words {
      guard let text = word.expanded(values) else { return nil }
      texts.append(text)
    }
    return texts
  }

  package func dropping(_ count: Int) -> ScriptLine {
    let rest = Array(words.dropFirst(count))
    return ScriptLine(place: rest.first?.place ?? place, words: rest, source: source)
  }
}
