// SPDX-License-Identifier: MIT

/// A parsed script: its syntax is valid, and ``ScriptCheck`` examines the meaning of its lines.
package struct Script: Sendable, Hashable {
  package let statements: [ScriptStatement]

  package init(_ statements: [ScriptStatement]) { self.statements = statements }

  /// The lines that use a device, in order; those in loops once.
  package var steps: [ScriptLine] { Script.steps(of: statements) }

  private static func steps(of statements: [ScriptStatement]) -> [ScriptLine] {
    statements.flatMap { statement in
      switch statement {
      case .step(let line), .reading(_, let line): [line]
      case .assignment: [] as [ScriptLine]
      case .loop(let loop): steps(of: loop.body)
      }
    }
  }
}

package enum ScriptStatement: Sendable, Hashable {
  case step(ScriptLine)
  /// `set NAME VALUE`.
  case assignment(name: String, value: ScriptWord)
  /// `let NAME read …`; the line contains the words from `read` on.
  case reading(name: String, ScriptLine)
  /// `repeat` or `for`.
  case loop(ScriptLoop)
}

package struct ScriptLoop: Sendable, Hashable {
  /// The number of times that the body runs.
  package enum Rounds: Sendable, Hashable {
    /// `repeat N`.
    case count(ScriptWord)
    /// `for NAME in …`.
    case values(name: String, [ScriptWord])
  }

  /// The position of `repeat` or `for`.
  package let place: ScriptPlace
  package let rounds: Rounds
  package let body: [ScriptStatement]
}

extension ScriptLoop {
  /// The words that determine the number of rounds, or their values.
  package var words: [ScriptWord] {
    switch rounds {
    case .count(let word): [word]
    case .values(_, let words): words
    }
  }

  /// Returns the rounds for these values of variables, or nil if a variable has no value.
  package func rounds(_ variables: [String: String]) throws(ScriptMistake) -> ScriptRounds? {
    switch rounds {
    case .count(let word):
      guard let text = word.expanded(variables) else { return nil }
      guard let count = Int(text), count > 0, text.utf8.first != UInt8(ascii: "+") else {
        throw ScriptMistake(word.place, "'\(text)' is not a number of rounds; use repeat 10")
      }
      return .count(count)
    case .values(_, let words):
      var texts: [String] = []
      for word in words {
        guard let text = word.expanded(variables) else { return nil }
        texts.append(text)
      }
      return try ScriptRounds(texts, at: words[0].place)
    }
  }
}

/// A variable of a script on the command line: `NAME=VALUE`.
package struct VariableArgument: Sendable, Hashable {
  package let name: String
  package let value: String

  package init(parsing text: String) throws(ArgumentError) {
    guard let sign = text.firstIndex(of: "=") else {
      throw ArgumentError(text, "has no value; use NAME=VALUE")
    }
    name = String(text[..<sign])
    value = String(text[text.index(after: sign)...])
    guard ScriptName.isValid(name) else {
      throw ArgumentError(name, "is not the name of a variable; use letters, digits and _")
    }
  }
}
