// SPDX-License-Identifier: MIT

/// Bytes as people type them: hexadecimal digits with or without `0x`, and `:` or spaces between groups.
package enum HexValue {
  /// The bytes of a text; none for an empty one.
  ///
  /// - Throws: when a group has an odd number of digits (its missing zero could belong to either end), or
  ///   something that is not a digit.
  package static func bytes(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    // Mostly nothing but digits.
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
