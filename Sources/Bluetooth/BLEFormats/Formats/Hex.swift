// SPDX-License-Identifier: MIT

/// Bytes as hexadecimal digits: two per byte, in lower case, without separators.
package enum Hex {
  /// Not generic: a caller in another module would use the unspecialised code, which is ten times slower.
  package static func string(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
      write(bytes, to: buffer)
      return 2 * bytes.count
    }
  }

  package static func append(_ bytes: [UInt8], to line: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * bytes.count) { buffer in
      write(bytes, to: buffer)
      line.append(contentsOf: buffer)
    }
  }

  private static func write(_ bytes: [UInt8], to buffer: UnsafeMutableBufferPointer<UInt8>) {
    var end = 0
    for byte in bytes {
      buffer[end] = HexDigit.lower(byte >> 4)
      buffer[end + 1] = HexDigit.lower(byte)
      end += 2
    }
  }

  /// Returns the bytes for digits of any case, or nil if their number is odd or some are not digits.
  package static func bytes(_ digits: String) -> [UInt8]? {
    var digits = digits
    return digits.withUTF8 { bytes(utf8: $0) }
  }

  package static func bytes(_ digits: some StringProtocol) -> [UInt8]? { bytes(String(digits)) }

  /// The same for digits in memory; not generic, for the same reason as ``string(_:)``.
  package static func bytes(utf8 digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: digits.count / 2)
    for index in bytes.indices {
      guard let high = HexDigit.value(of: digits[2 * index]),
        let low = HexDigit.value(of: digits[2 * index + 1])
      else { return nil }
      bytes[index] = high << 4 | low
    }
    return bytes
  }
}

extension UInt16 {
  /// Four hexadecimal digits, as for handles and company identifiers.
  package var fourDigits: String { Hex.string(bigEndianBytes) }
}

/// Typed bytes: hexadecimal digits with or without `0x`, and with `:` or blanks between groups.
package enum HexValue {
  /// Returns the bytes of a text, which may be empty.
  ///
  /// - Throws: if a group has an odd number of digits (the missing zero could be at either end), or another
  ///   character.
  package static func bytes(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    if let bytes = Hex.bytes(text) { return bytes }
    var bytes: [UInt8] = []
    for group in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
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
