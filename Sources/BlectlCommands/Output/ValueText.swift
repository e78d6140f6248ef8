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

  /// What was decoded, on one line.
  static func people(_ decoded: DecodedFields) -> String {
    let text = TerminalSafe.escaped(decoded.text)
    return text.isEmpty ? "(empty)" : text
  }

  /// For a terminal: what the bytes mean, where that is known, and the digits.
  static func forPeople(_ bytes: [UInt8], meaning: ValueMeaning?) -> String {
    guard !bytes.isEmpty, let decoded = meaning?.decode(bytes) else { return forPeople(bytes) }
    return "\(people(decoded))  \(Hex.string(bytes))"
  }

  /// As the format says.
  ///
  /// On a terminal nothing said is `auto`: the meaning, and the digits. In a pipe `auto` has a tab between the
  /// two, and nothing said is the digits alone.
  static func text(
    _ bytes: [UInt8], as format: ValueFormat?, meaning: ValueMeaning?, isTerminal: Bool
  ) -> String {
    switch format {
    case nil, .auto?:
      if isTerminal { return forPeople(bytes, meaning: meaning) }
      if format == nil { return Hex.string(bytes) }
      return (meaning?.decode(bytes)).map { people($0) + "\t" + Hex.string(bytes) } ?? "\t"
        + Hex.string(bytes)
    case let format?: return TerminalSafe.escaped(format.text(of: bytes))
    }
  }
}
