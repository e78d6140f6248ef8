// SPDX-License-Identifier: MIT

extension [UInt8] {
  /// Appends a text in UTF-8; `+= text.utf8` takes three times as long, and a line of a stream has fifteen texts.
  package mutating func append(utf8 text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
      append(contentsOf: text.utf8)
    }
  }

  /// Appends the digits of a number, the last `decimals` behind a point, with at least one digit before it.
  mutating func append(_ number: Int, decimals: Int = 0) {
    if number < 0 { append(UInt8(ascii: "-")) }
    // Those of 2^64, or a zero and as many decimals as ``DecimalNumber`` writes.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Swift.max(20, decimals + 1) + 1) { digits in
      var (rest, start, position) = (number.magnitude, digits.count, 0)
      while rest > 0 || position <= decimals {
        if decimals > 0, position == decimals {
          start -= 1
          digits[start] = UInt8(ascii: ".")
        }
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
        position += 1
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }
}
