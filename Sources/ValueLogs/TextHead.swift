// SPDX-License-Identifier: MIT
internal import ValueStreams

/// The start of a log of lines, where a power cut may have left a partial line, or zeros.
struct TextHead {
  /// The first line without its end, or what is left of it.
  let line: [UInt8]
  /// Whether the line has its end.
  let isWhole: Bool
  /// Whether the file begins with nothing but zeros.
  private let isZero: Bool

  /// No first line is longer.
  private static let window = 65_536
  /// The least that a file system leaves as zeros.
  private static let block = 512

  /// Reads it.
  ///
  /// - Parameter descriptor: a file that is not empty.
  /// - Throws: what the system refuses.
  init(of descriptor: Int32) throws(OutputError) {
    let head = try LogFile.read(descriptor, 0..<TextHead.window)
    let end = head.firstIndex { $0 == UInt8(ascii: "\n") || $0 == 0 } ?? head.endIndex
    isWhole = end < head.endIndex && head[end] != 0
    isZero = head.prefix(TextHead.block).allSatisfy { $0 == 0 }
    line = Array(head[..<end].last == UInt8(ascii: "\r") ? head[..<end].dropLast() : head[..<end])
  }

  /// Whether this is what a power cut has left of a file that began like this.
  func isRest(of signature: [UInt8]) -> Bool {
    if isWhole { return false }
    return line.isEmpty ? isZero : line.starts(with: signature) || signature.starts(with: line)
  }
}
