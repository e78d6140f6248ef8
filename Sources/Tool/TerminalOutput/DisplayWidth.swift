// SPDX-License-Identifier: MIT

/// The number of terminal columns of a text.
///
/// The text must be safe already (see ``TerminalSafe``): controls have no width here. Terminals disagree
/// about some emoji, so a width is a good guess and never a promise.
package enum DisplayWidth {
  package static func of(_ text: String) -> Int { width(of: text) }

  package static func of(_ text: Substring) -> Int { width(of: text) }

  private static func width(of text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns(of: $1) }
  }

  /// Returns whether all terminals agree about the width of a text: not about emoji, and marks with a width.
  static func isCertain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      if scalar.isASCII { return true }
      let properties = scalar.properties
      return !isPictureMaker(scalar) && !properties.isEmoji && properties.generalCategory != .spacingMark
        && !(0x1160...0x11ff).contains(scalar.value)
    }
  }

  /// The text if it fits into that many columns, otherwise its beginning and an ellipsis; empty for width 0.
  package static func truncated(_ text: String, to width: Int) -> String {
    if of(text) <= width { return text }
    guard width > 0 else { return "" }
    var kept = ""
    var room = width - 1
    for character in text {
      room -= columns(of: character)
      if room < 0 { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// The text between the parts of a list.
  package static let listSeparator = ", "

  /// The list if it fits, otherwise its first parts and an ellipsis; of the only part, its first words.
  ///
  /// No number is cut, since its beginning would be another one; what is wider than the column is cut anywhere.
  package static func truncated(list: String, to width: Int) -> String {
    if of(list) <= width { return list }
    for separator in [listSeparator, " "] {
      var (kept, columns) = ("", 0)
      for part in list.split(separator: separator, omittingEmptySubsequences: false) {
        columns += of(part) + separator.utf8.count
        if columns + 1 > width { break }
        kept += part + separator
      }
      if !kept.isEmpty { return kept + "…" }
    }
    let first = list.prefix { $0 != " " && $0 != "," }
    let isNumber = first.contains(where: \.isNumber) && of(first) <= width
    return isNumber && width > 0 ? "…" : truncated(list, to: width)
  }

  /// Pads the text with spaces after it, or before it (`toRight`, for numbers); a longer text stays as it is.
  package static func padded(_ text: String, to width: Int, toRight: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - of(text)))
    return toRight ? spaces + text : text + spaces
  }

  /// The columns of one character, which may consist of several code points.
  private static func columns(of character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7f ? 0 : 1 }
    let scalars = character.unicodeScalars
    // A sequence that makes one picture (a flag, a family, a coloured heart) is as wide as any other picture.
    if scalars.count > 1, scalars.contains(where: isPictureMaker) { return 2 }
    return scalars.reduce(0) { $0 + columns(of: $1) }
  }

  private static func isPictureMaker(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200d}" || scalar == "\u{fe0f}" || scalar.properties.isEmojiModifier || isRegional(scalar)
  }

  private static func isRegional(_ scalar: Unicode.Scalar) -> Bool {
    (0x1f1e6...0x1f1ff).contains(scalar.value)
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    // The middle and final letters of a Korean syllable are drawn within the first.
    if (0x1160...0x11ff).contains(scalar.value) { return 0 }
    if scalar.properties.isEmojiPresentation { return isRegional(scalar) ? 1 : 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// Wide and full-width characters (UAX #11) without emoji; whole blocks if they contain nothing narrow.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0xa4c6, 0xa960...0xa97c,
    0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6b, 0xff01...0xff60, 0xffe0...0xffe6,
    0x16fe0...0x18dff, 0x1aff0...0x1b2fb, 0x1f200...0x1f265, 0x20000...0x3fffd,
  ]
}
