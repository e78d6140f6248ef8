// SPDX-License-Identifier: MIT

/// The names of boards.
enum SMPBoard {
  /// Returns whether two names may mean the same board: a package adds the processor, with `_` or `/`, and a revision.
  static func areAlike(_ one: String, _ other: String) -> Bool {
    let (one, other) = (key(one), key(other))
    return one.isEmpty || other.isEmpty || one.hasPrefix(other) || other.hasPrefix(one)
  }

  private static func key(_ name: String) -> String {
    name.lowercased().prefix { $0 != "/" && $0 != "@" }.description
  }
}
