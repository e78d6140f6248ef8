// SPDX-License-Identifier: MIT

/// The content of a JSON string.
///
/// In addition to the characters that JSON requires, this escapes characters that could harm a terminal. A
/// JSON reader sees no difference, and the text is safe to print.
package enum JSONText {
  package static func quoted(_ text: String) -> String {
    var bytes = [UInt8(ascii: "\"")]
    append(text, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text with escapes, without quotes.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    let isDone = text.utf8.withContiguousStorageIfAvailable { plain in
      guard plain.allSatisfy(isPlain) else { return false }
      bytes.append(contentsOf: plain)
      return true
    }
    if isDone == true { return }
    for scalar in text.unicodeScalars {
      if let byte = UInt8(exactly: scalar.value), isPlain(byte) {
        bytes.append(byte)
      } else {
        append(scalar, to: &bytes)
      }
    }
  }

  /// Returns whether an ASCII character needs no escape.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\"": bytes.append(contentsOf: "\\\"".utf8)
    case "\\": bytes.append(contentsOf: "\\\\".utf8)
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    case _ where scalar.isHarmfulToTerminals:
      for unit in UTF16.encode(scalar) ?? .init() { appendEscape(of: unit, to: &bytes) }
    default: bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }
  }

  private static func appendEscape(of unit: UInt16, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "\\u".utf8)
    for shift in [12, 8, 4, 0] { bytes.append(hexDigit(UInt8(truncatingIfNeeded: unit >> shift))) }
  }
}

/// Returns the lower-case digit of the four low bits.
func hexDigit(_ value: UInt8) -> UInt8 {
  let value = value & 0xf
  return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
}

extension Unicode.Scalar {
  /// True if it must be escaped on a terminal: a control, invisible or unassigned character.
  package var isHarmfulToTerminals: Bool {
    if isASCII { return value < 0x20 || value == 0x7f }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}
