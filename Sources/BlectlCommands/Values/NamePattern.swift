// SPDX-License-Identifier: MIT
import Glibc

/// A name as a person types it, which may be meant exactly, as a shell pattern, or as a part of the name.
struct NamePattern: Sendable, Hashable {
  /// How well a name matches; the larger the better.
  enum Rank: Int, Sendable, Comparable {
    /// The text stands somewhere in the name, upper and lower case being the same.
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

  init(_ text: String) {
    self.text = text
  }

  /// How well a name matches, or nil when it does not; a name of no characters matches nothing.
  func rank(of name: String) -> Rank? {
    if name.isEmpty || text.isEmpty { return nil }
    if name == text { return .exact }
    // A NUL would end the name early for fnmatch.
    if !name.utf8.contains(0), fnmatch(text, name, 0) == 0 { return .pattern }
    return contains(Array(text.lowercased().utf8), in: Array(name.lowercased().utf8)) ? .part : nil
  }

  private func contains(_ part: [UInt8], in name: [UInt8]) -> Bool {
    guard part.count <= name.count else { return false }
    return (0...name.count - part.count).contains { name[$0...].starts(with: part) }
  }
}
