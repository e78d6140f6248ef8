// SPDX-License-Identifier: MIT
import BLEMeaning
internal import TerminalOutput

/// Why a text on the command line is refused: a usage error, found before anything is sent.
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
  ///   - subject: what the text should name: `transport`.
  ///   - text: what was typed.
  ///   - words: the possible words; the message contains the nearest ones, or else all.
  init(unknown subject: String, _ text: String, words: [String]) {
    let advice = Spelling.advice(for: text, among: words) ?? "use \(words.alternatives)"
    description = "unknown \(subject) '\(TerminalSafe.escaped(text))'; \(advice)"
  }

  /// The same error, for a text on the command line.
  init(_ error: FormatError) {
    self.init(error.text, error.reason)
  }
}

extension [String] {
  /// The words as a sentence lists them: `json, exit-status or formats`.
  var alternatives: String {
    count < 2 ? first ?? "" : dropLast().joined(separator: ", ") + " or " + self[count - 1]
  }
}
