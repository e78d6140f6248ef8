// SPDX-License-Identifier: MIT

/// Examines a whole script before anything is sent: variables, ranges, and each line with its future values.
///
/// It follows loops with the first value of their variable, and outer loops also with the last. If only the
/// device knows a value, by `let`, it examines the line with stand-ins: a mistake with all of them is one in
/// any case.
package struct ScriptCheck {
  /// Loops at a smaller depth are followed twice.
  private static let followedTwice = 3

  /// Values of different kinds: digits of a value or a number, a UUID, a format, a time.
  private static let standIns = ["01", "1800", "hex", "1s"]

  private let overrides: [String: String]
  private let examine: (ScriptLine, [String]) -> ScriptMistake?
  /// The values of variables; nil if they are known only when the script runs.
  private var variables: [String: String?]
  private var used: Set<String> = []
  private var mistakes: Set<ScriptMistake> = []

  /// - Parameters:
  ///   - overrides: values of variables, which take precedence over `set`.
  ///   - examine: returns the mistake in a line with these words.
  package init(
    overriding overrides: [String: String] = [:],
    _ examine: @escaping (ScriptLine, [String]) -> ScriptMistake?
  ) {
    self.overrides = overrides
    self.examine = examine
    variables = overrides.mapValues { $0 }
  }

  /// Returns the mistakes in a script, in order, and the overrides that it does not use.
  package mutating func mistakes(in script: Script) -> (mistakes: [ScriptMistake], unused: [String]) {
    follow(script.statements, depth: 0)
    let unused = overrides.keys.filter { !used.contains($0) }
    return (mistakes.sorted { ($0.place, $0.reason) < ($1.place, $1.reason) }, unused.sorted())
  }

  /// The variables that the script sets or uses.
  package var names: [String] { used.sorted() }

  private mutating func follow(_ statements: [ScriptStatement], depth: Int) {
    for statement in statements {
      switch statement {
      case .step(let line): check(line)
      case .assignment(let name, let value):
        require(value)
        used.insert(name)
        if overrides[name] == nil { variables[name] = .some(value.expanded(known)) }
      case .reading(let name, let line):
        check(line)
        variables[name] = .some(nil)
      case .loop(let loop): follow(loop, depth: depth)
      }
    }
  }

  private mutating func follow(_ loop: ScriptLoop, depth: Int) {
    var rounds: ScriptRounds?
    switch loop.rounds {
    case .count(let word): require(word)
    case .values(_, let words): for word in words { require(word) }
    }
    do throws(ScriptMistake) {
      rounds = try loop.rounds(known)
    } catch {
      mistakes.insert(error)
    }
    guard case .values(let name, _) = loop.rounds else { return follow(loop.body, depth: depth + 1) }
    let last = rounds.map { $0.count - 1 } ?? 0
    for round in depth < Self.followedTwice && last > 0 ? [0, last] : [0] {
      variables[name] = .some(rounds?.value(round))
      follow(loop.body, depth: depth + 1)
    }
  }

  private var known: [String: String] { variables.compactMapValues(\.self) }

  private mutating func check(_ line: ScriptLine) {
    let before = mistakes.count
    for word in line.words { require(word) }
    guard mistakes.count == before else { return }
    if let words = line.expanded(known) {
      if let mistake = examine(line, words) { mistakes.insert(mistake) }
      return
    }
    var common: ScriptMistake?
    for standIn in Self.standIns {
      let values = variables.mapValues { $0 ?? standIn }
      guard let words = line.expanded(values), let mistake = examine(line, words) else { return }
      if let common, common != mistake { return }
      common = mistake
    }
    if let common { mistakes.insert(common) }
  }

  private mutating func require(_ word: ScriptWord) {
    for (name, place) in word.variables {
      used.insert(name)
      if variables[name] == nil {
        mistakes.insert(
          ScriptMistake(place, "no variable '\(name)'; use set \(name) VALUE, or --set \(name)=VALUE"))
      }
    }
  }
}

/// A position in a script.
package struct ScriptPlace: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The character in the line, from 1.
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (left: ScriptPlace, right: ScriptPlace) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The position as compilers print it: `12:5`.
  package var description: String { "\(line):\(column)" }
}

/// A mistake in a script, and its position.
package struct ScriptMistake: Error, Sendable, Hashable, CustomStringConvertible {
  package let place: ScriptPlace
  /// A sentence without a full stop.
  package let reason: String

  package init(_ place: ScriptPlace, _ reason: String) {
    self.place = place
    self.reason = reason
  }

  /// The position and the reason: `12:5: 'end' without a loop`.
  package var description: String { "\(place): \(reason)" }
}
