// SPDX-License-Identifier: MIT

/// The mistakes of a JSON file, for people.
package struct JSONReport: Sendable, Hashable {
  /// The largest number of listed mistakes.
  package static let limit = 20

  /// The file, line and column, the JSON pointer, and what was expected; or the number of mistakes.
  package let summary: String
  /// The first of several mistakes, each described like a single one; empty if there is only one.
  package let mistakes: [String]

  ///   - source: the name of the file; empty for a text without one.
  package init(_ error: JSONError, in source: String) {
    let lines = error.all.map { source.isEmpty ? "\($0)" : "\(source):\($0)" }
    guard lines.count > 1 else {
      (summary, mistakes) = (lines[0], [])
      return
    }
    let start = source.isEmpty ? "" : "\(source): "
    summary =
      "\(start)\(lines.count) mistakes" + (lines.count > Self.limit ? " (first \(Self.limit) shown)" : "")
    mistakes = Array(lines.prefix(Self.limit))
  }
}
