// SPDX-License-Identifier: MIT
import BLEMeaning

/// Why a text on the command line is not what it has to be: a usage error, found before anything is sent.
struct ArgumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without a full stop that names the text: `'0xf' has an odd number of hexadecimal digits`.
  let description: String

  /// The error about a text.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - reason: what is wrong with it, as the rest of a sentence: `is not a UUID`.
  init(_ text: some StringProtocol, _ reason: String) {
    description = "'\(TerminalSafe.escaped(String(text)))' \(reason)"
  }

  /// The error about a text that is none of some words.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - reason: what it is not: `is not a kind`.
  ///   - words: those that there are: the nearest is told, else all.
  init(_ text: String, _ reason: String, words: [String]) {
    let advice = Spelling.advice(for: text, among: words) ?? "there are: \(words.joined(separator: ", "))"
    self.init(text, "\(reason); \(advice)")
  }

  /// The same error, for a text on the command line.
  init(_ error: FormatError) {
    self.init(error.text, error.reason)
  }
}
