// SPDX-License-Identifier: MIT

/// A byte of which only some bits count.
package struct MaskedByte: Sendable, Hashable {
  package let value: UInt8
  package let mask: UInt8

  package init(value: UInt8, mask: UInt8) { (self.value, self.mask) = (value, mask) }

  /// Returns the bytes for hexadecimal digits with `?` for any digit, and blanks or `:` between them; nil for another text.
  package static func bytes(_ text: some StringProtocol) -> [MaskedByte]? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ":") }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [MaskedByte] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      var (value, mask) = (UInt8(0), UInt8(0))
      for digit in digits[index..<index + 2] {
        (value, mask) = (value << 4, mask << 4)
        if digit == UInt8(ascii: "?") { continue }
        guard let number = HexDigit.value(of: digit) else { return nil }
        (value, mask) = (value | number, mask | 0x0f)
      }
      bytes.append(MaskedByte(value: value, mask: mask))
    }
    return bytes
  }
}
