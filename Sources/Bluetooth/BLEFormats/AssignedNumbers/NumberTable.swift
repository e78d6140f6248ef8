// SPDX-License-Identifier: MIT

/// Numbers and their names in read-only memory: lines of `NUMBER NAME`, sorted by number.
///
/// A lookup searches the bytes of the literal: by bisection for a number, linearly for a name. A number may
/// have several lines: its name, then its other names.
struct NumberTable: Sendable {
  /// The length of each number: 4 digits, or the 36 characters of a long UUID with dashes.
  let digits: Int
  /// The lines, each with its newline.
  let text: StaticString

  struct Line {
    /// The text of the line, without the newline.
    let bytes: UnsafeBufferPointer<UInt8>
    let digits: Int

    /// Decoded on demand, because a search by name skips most lines.
    var number: UInt128 {
      var number: UInt128 = 0
      for byte in bytes.prefix(digits) {
        if let digit = HexDigit.value(of: byte) { number = number << 4 | UInt128(digit) }
      }
      return number
    }

    var name: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes.dropFirst(digits + 1)) }

    var nameText: String { String(decoding: name, as: UTF8.self) }
  }

  func name(of number: UInt128) -> String? {
    text.withUTF8Buffer { bytes in
      var (low, high) = (0, bytes.count)
      while low < high {
        let start = lineStart(before: low + (high - low) / 2, bytes)
        let line = line(at: start, bytes)
        if line.number < number { low = start + line.bytes.count + 1 } else { high = start }
      }
      guard low < bytes.count else { return nil }
      let line = line(at: low, bytes)
      return line.number == number ? line.nameText : nil
    }
  }

  /// Calls `body` with each line, in the order of the numbers.
  func visit(_ body: (Line) -> Void) {
    text.withUTF8Buffer { bytes in
      var start = 0
      while start < bytes.count {
        let line = line(at: start, bytes)
        body(line)
        start += line.bytes.count + 1
      }
    }
  }

  /// Calls `body` with each line whose name contains a key, in the order of the numbers, and with its fit.
  ///
  /// Searches eight bytes at a time for the first letter of the key, so that most lines are never parsed.
  func visit(holding key: NameKey, _ body: (Line, NameKey.Fit) -> Void) {
    guard let first = key.bytes.first else { return }
    let wanted = UInt64(first | 0x20) &* 0x0101_0101_0101_0101
    text.withUTF8Buffer { bytes in
      guard let base = bytes.baseAddress else { return }
      var start = 0
      while start < bytes.count {
        var hits: UInt64 = 0
        if start + 8 <= bytes.count {
          // A matching byte becomes zero and sets its highest bit. The byte after it may also do so.
          let eight = UInt64(littleEndian: UnsafeRawPointer(base + start).loadUnaligned(as: UInt64.self))
          let rest = (eight | 0x2020_2020_2020_2020) ^ wanted
          hits = (rest &- 0x0101_0101_0101_0101) & ~rest & 0x8080_8080_8080_8080
        } else {
          for index in start..<bytes.count { hits |= 0x80 << UInt64(8 * (index - start)) }
        }
        var next = start + 8
        while hits != 0 {
          let place = start + hits.trailingZeroBitCount / 8
          hits &= hits - 1
          guard key.stands(at: place, in: bytes) else { continue }
          let line = line(at: lineStart(before: place, bytes), bytes)
          if let fit = key.fit(line.name) {
            body(line, fit)
            next = line.bytes.endIndex(in: base) + 1
            break
          }
        }
        start = next
      }
    }
  }

  /// Returns the start of the line that contains a byte.
  private func lineStart(before place: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var start = place
    while start > 0, bytes[start - 1] != Self.newline { start -= 1 }
    return start
  }

  private static let newline = UInt8(ascii: "\n")

  private func line(at start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Line {
    var end = start + digits
    while bytes[end] != Self.newline { end += 1 }
    return Line(bytes: UnsafeBufferPointer(rebasing: bytes[start..<end]), digits: digits)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the end of this part of a larger buffer, counted from the start of that buffer.
  fileprivate func endIndex(in base: UnsafePointer<UInt8>) -> Int {
    baseAddress.map { $0 - base + count } ?? 0
  }
}
