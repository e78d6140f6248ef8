// SPDX-License-Identifier: MIT

/// Bytes as hexadecimal digits: two for each byte, in lower case, nothing between them.
package enum Hex {
  /// The digits of some bytes.
  @inlinable
  package static func string(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
      var end = 0
      for byte in bytes {
        buffer[end] = HexDigit.lower(byte >> 4)
        buffer[end + 1] = HexDigit.lower(byte)
        end += 2
      }
      return end
    }
  }

  /// Adds the digits of some bytes to a line that is being built.
  @inlinable
  package static func append(_ bytes: some Collection<UInt8>, to line: inout [UInt8]) {
    line.reserveCapacity(line.count + 2 * bytes.count)
    for byte in bytes {
      line.append(HexDigit.lower(byte >> 4))
      line.append(HexDigit.lower(byte))
    }
  }

  /// The bytes that digits of any case stand for, or nil when they are odd in number or not digits.
  package static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
    var digits = digits.utf8.makeIterator()
    var bytes: [UInt8] = []
    while let first = digits.next() {
      guard let high = HexDigit.value(of: first), let low = digits.next().flatMap(HexDigit.value(of:)) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
