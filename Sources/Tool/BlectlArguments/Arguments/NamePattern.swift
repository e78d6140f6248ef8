// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// A name on the command line: exact, a shell pattern, or part of the name.
package struct NamePattern: Sendable, Hashable {
  /// The larger the better.
  package enum Rank: Int, Sendable, Comparable {
    /// The name contains the text, ignoring case.
    case part
    /// The text, as a shell pattern, matches the whole name.
    case pattern
    case exact

    package static func < (left: Self, right: Self) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  package let text: String
  private let pattern: ShellPattern

  package init(_ text: String) {
    self.text = text
    pattern = ShellPattern(text)
  }

  /// True if it may stand for several names.
  var hasWildcards: Bool { text.contains { "*?[".contains($0) } }

  /// Nil if the name does not match; an empty name matches nothing.
  package func rank(of name: String) -> Rank? {
    if name.isEmpty || text.isEmpty { return nil }
    if name == text { return .exact }
    if pattern.matchesName(name) { return .pattern }
    return contains(Array(text.lowercased()), in: Array(name.lowercased())) ? .part : nil
  }

  /// A suggestion where only whole names match: those of which it is a part, in any case, or else similar ones; nil if there are
  /// none.
  package func adviceOnWholeNames(among names: Set<String>) -> String? {
    let near = names.sorted().filter { rank(of: $0) != nil }
    return Spelling.question(near.prefix(3)) ?? Spelling.advice(for: text, amongNames: names.sorted())
  }

  /// Returns whether both are texts, and neither is a part of the other.
  func excludes(_ other: NamePattern) -> Bool {
    guard !hasWildcards, !other.hasWildcards else { return false }
    let (text, other) = (Array(text.lowercased()), Array(other.text.lowercased()))
    return !contains(text, in: other) && !contains(other, in: text)
  }

  private func contains(_ part: [Character], in name: [Character]) -> Bool {
    guard part.count <= name.count else { return false }
    return (0...name.count - part.count).contains { name[$0...].starts(with: part) }
  }
}
