// SPDX-License-Identifier: MIT

/// The words behind a command's name, for a command that can read them without ArgumentParser.
///
/// Only the plain form is understood: `--option VALUE`, each option once unless it may be repeated, `--flag`, and words
/// that do not begin with `-`. Whatever else stands there is not plain, and ArgumentParser's to read, or to refuse: this
/// never says what is wrong.
struct PlainArguments {
  /// The words are not plain, or not right.
  struct NotPlain: Error {}

  private var words: [String]

  init(_ words: some Sequence<String>) { self.words = Array(words) }

  /// Takes an option that may stand there once.
  ///
  /// - Parameters:
  ///   - names: how it may be written.
  ///   - transform: what ArgumentParser does with the text.
  /// - Returns: its value, or nil when the option is not there.
  /// - Throws: ``NotPlain``, or what `transform` throws.
  mutating func option<Value>(
    _ names: String..., as transform: (String) throws -> Value?
  ) throws -> Value? {
    guard let index = words.firstIndex(where: { names.contains($0) }) else { return nil }
    guard index + 1 < words.count else { throw NotPlain() }
    let text = words[index + 1]
    guard !text.utf8.starts(with: "-".utf8), let value = try transform(text) else {
      throw NotPlain()
    }
    words.removeSubrange(index...index + 1)
    // What is written twice has the last one's value: ArgumentParser knows.
    if words.contains(where: { names.contains($0) }) { throw NotPlain() }
    return value
  }

  /// Takes an option that may be repeated.
  ///
  /// - Parameters:
  ///   - name: how it is written.
  ///   - transform: what ArgumentParser does with a text.
  /// - Returns: its values in their order.
  /// - Throws: ``NotPlain``, or what `transform` throws.
  mutating func options<Value>(_ name: String, as transform: (String) throws -> Value) throws -> [Value] {
    var values: [Value] = []
    while let index = words.firstIndex(of: name) {
      guard index + 1 < words.count, !words[index + 1].utf8.starts(with: "-".utf8) else { throw NotPlain() }
      values.append(try transform(words[index + 1]))
      words.removeSubrange(index...index + 1)
    }
    return values
  }

  /// Takes a flag; says how often it stands there.
  mutating func flag(_ names: String...) -> Int {
    let before = words.count
    words.removeAll { names.contains($0) }
    return before - words.count
  }

  /// Takes a flag that may stand there once.
  mutating func isSet(_ names: String...) throws -> Bool {
    let before = words.count
    words.removeAll { names.contains($0) }
    if before - words.count > 1 { throw NotPlain() }
    return before > words.count
  }

  /// Takes the words that are left, when all options have been taken.
  ///
  /// - Returns: the words.
  /// - Throws: ``NotPlain`` when an option is among them.
  mutating func rest() throws -> [String] {
    defer { words = [] }
    if words.contains(where: { $0.utf8.starts(with: "-".utf8) }) { throw NotPlain() }
    return words
  }
}
