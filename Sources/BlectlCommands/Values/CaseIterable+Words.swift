// SPDX-License-Identifier: MIT

extension CaseIterable where Self: RawRepresentable<String> {
  /// The words for all cases.
  static var allWords: [String] { allCases.map(\.rawValue) }

  /// The case that a word on the command line names.
  ///
  /// - Parameters:
  ///   - word: what was typed.
  ///   - subject: what it should name: `transport`.
  /// - Throws: an error that contains the word, and similar words or all of them.
  init(word: String, of subject: String) throws(ArgumentError) {
    guard let value = Self(rawValue: word) else {
      throw ArgumentError(unknown: subject, word, words: Self.allWords)
    }
    self = value
  }
}
