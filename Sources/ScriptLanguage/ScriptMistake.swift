// SPDX-License-Identifier: MIT

/// A position in a script.
package struct ScriptPlace: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The character of the line, from 1.
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

/// What is wrong with a script, and where.
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
