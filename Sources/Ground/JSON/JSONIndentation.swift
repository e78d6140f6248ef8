// SPDX-License-Identifier: MIT

/// The layout of JSON for people.
enum JSONIndentation {
  /// The maximum length of a line that contains a complete object or array.
  private static let width = 100

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")

  static func breakLine(_ depth: Int, in bytes: inout [UInt8]) {
    bytes.append(newline)
    bytes.append(contentsOf: repeatElement(space, count: 2 * depth))
  }

  /// Before a closing bracket, joins short content into one line, except between the outermost brackets.
  static func endBracket(from start: Int, depth: Int, in bytes: inout [UInt8]) {
    guard start + 1 < bytes.count else { return }  // empty
    if depth > 0, let joined = joined(bytes[(start + 1)...], column: column(of: start, in: bytes)) {
      bytes.replaceSubrange((start + 1)..., with: joined)
    } else {
      breakLine(depth, in: &bytes)
    }
  }

  private static func column(of index: Int, in bytes: [UInt8]) -> Int {
    index - (bytes[..<index].lastIndex(of: newline).map { $0 + 1 } ?? 0)
  }

  /// Returns the lines joined into one, or nil if it is too long; strings contain no line breaks.
  private static func joined(_ lines: ArraySlice<UInt8>, column: Int) -> [UInt8]? {
    var joined: [UInt8] = []
    var isIndentation = false
    for byte in lines {
      if byte == newline {
        isIndentation = true
        continue
      }
      if isIndentation {
        if byte == space { continue }
        isIndentation = false
        if joined.last == UInt8(ascii: ",") { joined.append(space) }
      }
      joined.append(byte)
      if column + joined.count > width { return nil }
    }
    return joined
  }
}
