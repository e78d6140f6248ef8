// SPDX-License-Identifier: MIT

extension AssignedNumbers {
  /// The numbers with a name.
  ///
  /// Only letters and digits count, and not their case: `heart-rate`, `Heart Rate` and `heart_rate` are one name.
  ///
  /// - Parameters:
  ///   - name: the whole name.
  ///   - kinds: which kinds to look among; the result is in their order.
  /// - Returns: none when nothing has that name; several when it is ambiguous.
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

  /// The numbers whose name contains a text.
  ///
  /// - Parameters:
  ///   - part: the text, compared as ``named(_:kinds:)`` compares.
  ///   - kinds: which kinds to look among.
  /// - Returns: first those with just this name, then those whose name begins with it, then the others.
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

  /// Names that somebody may have meant who misspelt one, the likeliest first.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - kinds: which kinds to look among.
  ///   - limit: how many at most.
  /// - Returns: names as they are typed on a command line: `heart-rate`.
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
          // A part is less likely than a slip of the finger in the whole name, and the longer the rest the less.
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

  /// A name as it is typed without quotes: `Heart Rate` becomes `heart-rate`.
  public static func hyphenated(_ name: some StringProtocol) -> String {
    name.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: "-")
  }
}
