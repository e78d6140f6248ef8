// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// A value as text, for whoever looks.
enum ValueText {
  /// Fewer bytes are no text: nearly every one of them is a letter.
  private static let shortestText = 3

  /// For a terminal: the text that the bytes spell, where they spell one, and the digits.
  static func forPeople(_ bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "(empty)" }
    let digits = Hex.string(bytes)
    guard bytes.count >= shortestText, let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy(isPrintable)
    else {
      return digits
    }
    return "\"\(text)\" \(digits)"
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isHarmfulToTerminals
  }

  /// As the format says; for a terminal, `auto` shows what a person looks for.
  static func text(_ bytes: [UInt8], as format: ValueFormat?, isTerminal: Bool) -> String {
    switch format {
    case nil, .auto?: isTerminal ? forPeople(bytes) : Hex.string(bytes)
    case let format?: TerminalSafe.escaped(format.text(of: bytes))
    }
  }
}
