// SPDX-License-Identifier: MIT

/// Typed bytes: hexadecimal digits with or without `0x`, and with `:` or spaces between groups.
package enum HexValue {
  /// The bytes of a text; empty for an empty text.
  ///
  /// - Throws: if a group has an odd number of digits (the missing zero could be at either end), or a character that is not
  ///   a digit.
  package static func bytes(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    // The common case: only digits.
    if let bytes = Hex.bytes(text) { return bytes }
    var bytes: [UInt8] = []
    for group in text.split(separator: " ") {
      for part in group.split(separator: ":", omittingEmptySubsequences: false) {
        let digits = part.hasPrefix("0x") || part.hasPrefix("0X") ? part.dropFirst(2) : part
        guard !digits.isEmpty, digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }) else {
          throw FormatError(text, "is not hexadecimal")
        }
        guard let value = Hex.bytes(digits) else {
          throw FormatError(text, "has an odd number of hexadecimal digits")
        }
        bytes += value
      }
    }
    return bytes
  }
}
