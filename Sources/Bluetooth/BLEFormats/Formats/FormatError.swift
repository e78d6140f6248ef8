// SPDX-License-Identifier: MIT

/// The reason that a text is invalid, or out of range.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The typed text, unchanged.
  public let text: String
  /// The error as the rest of a sentence: `is not a number`.
  public let reason: String

  /// Creates an error; each parameter sets the property of its name.
  public init(_ text: some StringProtocol, _ reason: String) {
    self.text = String(text)
    self.reason = reason
  }

  /// A sentence without a full stop: `'0xf' has an odd number of hexadecimal digits`.
  ///
  /// The text is not escaped for a terminal.
  public var description: String { "'\(text)' \(reason)" }
}
