// SPDX-License-Identifier: MIT

/// Why a text is not what it has to be, or does not fit.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was typed, as it was.
  public let text: String
  /// What is wrong with it, as the rest of a sentence: `is not a number`.
  public let reason: String

  /// The error about a text.
  ///
  /// - Parameters:
  ///   - text: the typed text.
  ///   - reason: what is wrong with it, as the rest of a sentence.
  public init(_ text: some StringProtocol, _ reason: String) {
    self.text = String(text)
    self.reason = reason
  }

  /// A sentence without a full stop: `'0xf' has an odd number of hexadecimal digits`.
  ///
  /// The text is not yet safe for a terminal.
  public var description: String { "'\(text)' \(reason)" }
}
