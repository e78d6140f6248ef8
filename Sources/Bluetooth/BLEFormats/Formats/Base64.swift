// SPDX-License-Identifier: MIT

/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func string(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for position in 0..<4 {
        let isPadding = position > group.count
        text.append(isPadding ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * position) & 0x3f])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text, or nil if it is not Base64; the padding is optional.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    let padding = text.utf8.count - digits.count
    guard digits.count % 4 != 1, padding == 0 || (padding < 3 && text.utf8.count % 4 == 0) else { return nil }
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for digit in digits {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      bits = (bits << 6 | value) & 0xffff
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // Unused bits must be zero, or two texts would represent the same bytes.
    return bits & (1 << count - 1) == 0 ? bytes : nil
  }
}
