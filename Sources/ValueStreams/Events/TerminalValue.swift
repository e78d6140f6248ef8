// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON
internal import TerminalOutput

/// A value as a person reads it on a terminal.
package enum TerminalValue {
  /// Fewer bytes are no text: nearly every one of them is a letter.
  private static let shortestText = 3

  /// The text that the bytes spell, where they spell one, and the digits.
  package static func text(of bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "(empty)" }
    let digits = Hex.string(bytes)
    guard bytes.count >= shortestText, let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ !$0.isHarmfulToTerminals })
    else {
      return digits
    }
    return "\"\(text)\" \(digits)"
  }

  /// What was decoded, on one line.
  package static func text(of decoded: DecodedFields) -> String {
    let text = TerminalSafe.escaped(decoded.text)
    return text.isEmpty ? "(empty)" : text
  }

  /// What the bytes mean, where that is known, and the digits.
  package static func text(of bytes: [UInt8], _ decoded: DecodedFields?) -> String {
    guard !bytes.isEmpty, let decoded else { return text(of: bytes) }
    return "\(text(of: decoded))  \(Hex.string(bytes))"
  }
}
