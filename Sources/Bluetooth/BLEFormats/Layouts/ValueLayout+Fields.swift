// SPDX-License-Identifier: MIT
internal import JSON

extension ValueLayout {
  /// Encodes the texts of fields, by their names with or without units.
  ///
  /// The others are zero; those at the end that may be missing are missing. `now` is the time of the text `now`.
  ///
  /// - Throws: an error that names a field which does not exist or occurs twice, or the text that is invalid.
  package func encode(
    fields: [(name: String, text: String)], at now: CivilTime? = nil
  ) throws(FormatError) -> [UInt8] {
    var texts: [String: String] = [:]
    for (name, text) in fields {
      guard let key = key(named: name) else { throw unknownName(name) }
      guard texts.updateValue(text, forKey: key) == nil else {
        throw FormatError(name, "has a value already")
      }
    }
    return try LayoutEncoder(layout: self, texts: texts, now: now, others: .zero).bytes()
  }

  /// The error about a name that no field has.
  func unknownName(_ name: some StringProtocol) -> FormatError {
    let advice = Spelling.advice(for: String(name), among: names(of: keys))
    return FormatError(
      name, "is no field of the layout; \(advice ?? "there are \(keys.joined(separator: ", "))")")
  }

  /// The names of fields, with and without units.
  func names(of keys: [String]) -> [String] {
    keys.flatMap { [UnitKey.withoutUnit($0), $0].compactMap(\.self) }
  }

  /// Returns the number of elements of the field with a name: 1 if it is not a list, nil for a list of any length.
  package func elementCount(of name: some StringProtocol) -> Int? {
    guard let key = key(named: name) else { return 1 }
    for part in parts {
      if case .field(let field) = part.content, field.key == key, let extent = field.elements?.extent {
        if case .fixed(let count) = extent { return count }
        return nil
      }
    }
    return 1
  }
}
