// SPDX-License-Identifier: MIT

/// A name on the command line: exact, a shell pattern, or part of the name.
struct NamePattern: Sendable, Hashable {
  /// How well a name matches; the larger the better.
  enum Rank: Int, Sendable, Comparable {
    /// The name contains the text, ignoring case.
    case part
    /// The text, as a shell pattern, matches the whole name.
    case pattern
    /// The text is the name.
    case exact

    static func < (left: Self, right: Self) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// What was typed.
  let text: String
  private let pattern: ShellPattern

  init(_ text: String) {
    self.text = text
    pattern = ShellPattern(text)
  }

  /// How well a name matches, or nil if it does not; an empty name matches nothing.
  func rank(of name: String) -> Rank? {
    if name.isEmpty || text.isEmpty { return nil }
    if name == text { return .exact }
    if pattern.matches(name) { return .pattern }
    return contains(Array(text.lowercased()), in: Array(name.lowercased())) ? .part : nil
  }

  private func contains(_ part: [Character], in name: [Character]) -> Bool {
    guard part.count <= name.count else { return false }
    return (0...name.count - part.count).contains { name[$0...].starts(with: part) }
  }
}
