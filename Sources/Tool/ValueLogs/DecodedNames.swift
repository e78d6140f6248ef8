// SPDX-License-Identifier: MIT

/// The names of decoded fields among other names: one that is taken, such as `time`, gets a prefix.
///
/// No two keys have one name: a key that begins with the prefix gets another one if the rest is taken.
struct DecodedNames: Sendable {
  private static let prefix = "decoded_"

  /// The names of everything else.
  let taken: Set<String>

  /// The same names, where one more is taken.
  func besides(_ name: String) -> DecodedNames { DecodedNames(taken: taken.union([name])) }

  func name(of key: String) -> String { isTaken(key) ? DecodedNames.prefix + key : key }

  /// The key that has a name; a name that is taken is its own key.
  func key(of name: String) -> String {
    guard let rest = DecodedNames.rest(of: name), isTaken(rest) else { return name }
    return rest
  }

  private func isTaken(_ key: String) -> Bool {
    taken.contains(key) || DecodedNames.rest(of: key).map(isTaken) ?? false
  }

  /// Returns the part of a name after the prefix.
  private static func rest(of name: String) -> String? {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
  }
}
