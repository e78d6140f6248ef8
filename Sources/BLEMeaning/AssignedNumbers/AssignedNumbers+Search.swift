// SPDX-License-Identifier: MIT

extension AssignedNumbers {
  /// Finds the numbers with a name.
  ///
  /// Only letters and digits are compared, ignoring case: `heart-rate`, `Heart Rate` and `heart_rate` are one name.
  ///
  /// - Parameters:
  ///   - name: the whole name.
  ///   - kinds: the kinds to search; the result is in their order.
  /// - Returns: empty if no number has that name; several if it is ambiguous.
  public static func named(
    _ name: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) -> [AssignedNumber] {
    let key = NameKey(name)
    guard !key.bytes.isEmpty else { return [] }
    var found: [AssignedNumber] = []
    for kind in kinds {
      kind.visit { line, origin in
        if key.equals(line.name) { found.append(kind.assigned(line, origin)) }
      }
    }
    return found
  }

  /// Finds the numbers whose name contains a text.
  ///
  /// - Parameters:
  ///   - part: the text, compared as in ``named(_:kinds:)``.
  ///   - kinds: the kinds to search.
  /// - Returns: first exact matches, then names that start with the text, then the others.
  public static func containing(
    _ part: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) -> [AssignedNumber] {
    let key = NameKey(part)
    guard !key.bytes.isEmpty else { return [] }
    var (exact, beginning, other): ([AssignedNumber], [AssignedNumber], [AssignedNumber]) = ([], [], [])
    for kind in kinds {
      kind.visit(holding: key) { line, origin, fit in
        let number = kind.assigned(line, origin)
        switch fit {
        case .exact: exact.append(number)
        case .beginning: beginning.append(number)
        case .part: other.append(number)
        }
      }
    }
    return exact + beginning + other
  }

  /// Suggests names for a misspelt one, the likeliest first.
  ///
  /// - Parameters:
  ///   - text: the typed text.
  ///   - kinds: the kinds to search.
  ///   - limit: the maximum number of suggestions.
  /// - Returns: names in the form of the command line: `heart-rate`.
  public static func suggestions(
    for text: some StringProtocol, kinds: [AssignedNumber.Kind], limit: Int = 3
  ) -> [String] {
    let key = NameKey(text)
    guard key.bytes.count > 1, key.bytes.count <= 64 else { return [] }
    let allowance = max(1, key.bytes.count / 3)
    var found: [(rank: Int, name: String)] = []
    for kind in kinds {
      kind.visit { line, _ in
        if let fit = key.fit(line.name) {
          // A match with a part is less likely than a typo in the whole name, and less so the longer the rest.
          found.append((allowance + fit.rawValue * 100 + line.name.count, line.nameText))
        } else if line.name.count <= 2 * key.bytes.count + 4 {
          let distance = key.distance(to: NameKey(utf8: line.name))
          if distance <= allowance { found.append((distance, line.nameText)) }
        }
      }
    }
    var names: [String] = []
    for candidate in found.sorted(by: { ($0.rank, $0.name) < ($1.rank, $1.name) }) {
      let name = hyphenated(candidate.name)
      if !names.contains(name) { names.append(name) }
      if names.count == limit { break }
    }
    return names
  }

  /// A name in a form that needs no quotes: `Heart Rate` becomes `heart-rate`.
  public static func hyphenated(_ name: some StringProtocol) -> String {
    name.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: "-")
  }
}
