// SPDX-License-Identifier: MIT

/// Numbers and their names as one piece of read-only memory: lines of `NUMBER NAME`, sorted by number.
///
/// Nothing is made of it when a program starts: a lookup searches the bytes of the literal, by halves for a number and
/// from one end to the other for a name. A number may have several lines: its name, then other names of it.
struct NumberTable: Sendable {
  /// The characters of each number: 4 digits, or the 36 of a long UUID with its dashes.
  let digits: Int
  /// The lines, each with its newline.
  let text: StaticString

  /// A line: the number, and its name in UTF-8.
  struct Line {
    let number: UInt128
    let name: UnsafeBufferPointer<UInt8>

    /// The name as text.
    var nameText: String { String(decoding: name, as: UTF8.self) }
  }

  /// The name of a number, or nil.
  func name(of number: UInt128) -> String? {
    text.withUTF8Buffer { bytes in
      var (low, high) = (0, bytes.count)
      while low < high {
        var start = low + (high - low) / 2
        while start > low, bytes[start - 1] != Self.newline { start -= 1 }
        let line = line(at: start, bytes)
        if line.number < number { low = end(of: line, at: start) } else { high = start }
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
        start = end(of: line, at: start)
      }
    }
  }

  private static let newline = UInt8(ascii: "\n")

  private func line(at start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Line {
    var number: UInt128 = 0
    for byte in bytes[start..<start + digits] {
      if let digit = HexDigit.value(of: byte) { number = number << 4 | UInt128(digit) }
    }
    let nameStart = start + digits + 1
    var nameEnd = nameStart
    while bytes[nameEnd] != Self.newline { nameEnd += 1 }
    return Line(number: number, name: UnsafeBufferPointer(rebasing: bytes[nameStart..<nameEnd]))
  }

  /// Where the line after this one starts.
  private func end(of line: Line, at start: Int) -> Int { start + digits + 1 + line.name.count + 1 }
}
