// SPDX-License-Identifier: MIT
import JSON

/// Makes text that came over the air harmless to a terminal, and one field of one line.
///
/// A device may call itself `ESC [2J`, or hide a right-to-left override in its name. Characters that would
/// move the cursor, end the line or the field, change the direction of the text, or be invisible, are written
/// as `\n`, `\t`, `\r` or `\u{1b}`. A backslash is doubled, so that the escaped text is unambiguous.
package enum TerminalSafe {
  /// The maximum number of combining marks in a character.
  ///
  /// More of them paint over the neighbouring lines.
  static let markLimit = 4

  /// Escapes everything harmful; ordinary text of any script stays as it is.
  package static func escaped(_ text: String) -> String { escaped(text, doublesBackslashes: true) }

  /// Escapes a sentence, except its backslashes, since text that it quotes may already be escaped.
  package static func sentence(_ text: String) -> String { escaped(text, doublesBackslashes: false) }

  /// Escapes the text in UTF-8 that begins at an offset in some bytes.
  package static func escape(_ bytes: inout [UInt8], from start: Int) {
    if bytes.withUnsafeBufferPointer({ isPlain(UnsafeBufferPointer(rebasing: $0[start...])) }) { return }
    let text = String(decoding: bytes[start...], as: UTF8.self)
    bytes.removeSubrange(start...)
    bytes += escaped(text).utf8
  }

  private static func escaped(_ text: String, doublesBackslashes: Bool) -> String {
    if text.utf8.withContiguousStorageIfAvailable(isPlain) == true { return text }
    var safe = ""
    safe.reserveCapacity(text.utf8.count + 16)
    var previous: Unicode.Scalar?
    var marks = 0
    let scalars = text.unicodeScalars
    for index in scalars.indices {
      let scalar = scalars[index]
      let next = scalars[scalars.index(after: index)...].first
      marks = isMark(scalar) ? marks + 1 : 0
      let floats = marks > 0 && (previous == nil || marks > markLimit)
      if floats || (scalar.isHarmfulToTerminals && !joinsEmoji(scalar, after: previous, before: next)) {
        appendEscape(of: scalar, to: &safe)
        // A mark that follows an escape would sit on its brace.
        previous = nil
      } else {
        if doublesBackslashes, scalar == "\\" { safe.append("\\") }
        safe.unicodeScalars.append(scalar)
        previous = scalar
      }
    }
    return safe
  }

  /// Returns whether a text is known to need no escape: it has only printable ASCII and Latin, as most texts.
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var isAfterC2 = false
    var index = 0
    while index < text.count {
      // Most are eight ordinary characters of ASCII.
      while index + 8 <= text.count, isOrdinary(eightAt: index, in: text) {
        isAfterC2 = false
        index += 8
      }
      guard index < text.count else { return true }
      let byte = text[index]
      index += 1
      switch byte {
      case 0x5c: return false  // a backslash
      case 0x20..<0x7f, 0xc3...0xc8: isAfterC2 = false  // the latter begin U+00C0 to U+023F
      case 0xc2: isAfterC2 = true
      // After C2: controls to U+009F, and the soft hyphen.
      case 0x80..<0xc0: if isAfterC2, byte < 0xa0 || byte == 0xad { return false }
      default: return false
      }
    }
    return true
  }

  /// Returns whether eight bytes are printable ASCII, and none is a backslash: all at once, as one number.
  private static func isOrdinary(eightAt index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt64.self)
    let (ones, tops) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
    /// Has the top bit of each byte below `limit`, for bytes of ASCII; perhaps also of the bytes above such a one.
    func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }
    let (backslashes, deletes) = (word ^ ones &* 0x5c, word ^ ones &* 0x7f)
    return (word | below(0x20, word) | below(1, backslashes) | below(1, deletes)) & tops == 0
  }

  /// Returns whether a character is drawn on the one before it.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// Returns whether an otherwise invisible character belongs to an emoji: a joiner between two, or the
  /// choice of the coloured form after one.
  private static func joinsEmoji(
    _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
  ) -> Bool {
    guard let previous else { return false }
    switch scalar {
    case "\u{200d}":
      guard let next, next.properties.isEmoji, !next.isASCII else { return false }
      return previous.properties.isEmoji || previous == "\u{fe0f}"
    case "\u{fe0f}": return previous.properties.isEmoji
    default: return false
    }
  }

  private static func appendEscape(of scalar: Unicode.Scalar, to safe: inout String) {
    switch scalar {
    case "\n": safe.append("\\n")
    case "\t": safe.append("\\t")
    case "\r": safe.append("\\r")
    default: safe.append("\\u{\(String(scalar.value, radix: 16))}")
    }
  }
}

package enum XMLText {
  /// Escapes any text for use between tags and within quotes, including characters that XML cannot hold.
  package static func escaped(_ text: String) -> String {
    var safe = ""
    for scalar in TerminalSafe.escaped(text).unicodeScalars {
      switch scalar {
      case "&": safe += "&amp;"
      case "<": safe += "&lt;"
      case ">": safe += "&gt;"
      case "\"": safe += "&quot;"
      case "'": safe += "&#39;"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
