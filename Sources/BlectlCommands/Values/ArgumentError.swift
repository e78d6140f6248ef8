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

  /// The same error, for a text on the command line.
  init(_ error: FormatError) {
    self.init(error.text, error.reason)
  }
}
