// SPDX-License-Identifier: MIT
internal import Glibc
internal import ValueStreams

/// The end of a log of lines, where a crash may have left a partial record, and a power cut zeros.
///
/// See ``TextHead`` for its begin.
enum TextTail {
  /// How much of the end is searched for zeros: more than comes in the second between two saves.
  private static let window = 1 << 20

  /// Cuts off a partial record.
  ///
  /// - Parameter descriptor: a file open for reading and writing.
  /// - Returns: how many bytes were cut off.
  /// - Throws: what the system refuses.
  static func mend(_ descriptor: Int32) throws(OutputError) -> Int {
    guard let status = LogFile.status(of: descriptor) else { throw OutputError(errno: errno) }
    let size = Int(status.st_size)
    var start = max(0, size - window)
    var tail = try LogFile.read(descriptor, start..<size)
    if let zero = tail.firstIndex(of: 0) { tail.removeSubrange(zero...) }
    var end = tail.lastIndex(of: newline).map { start + $0 + 1 }
    // A line longer than the window, or a window full of zeros: on to the front.
    while end == nil, start > 0 {
      let upper = start
      start = max(0, start - window)
      var part = try LogFile.read(descriptor, start..<upper)
      if let zero = part.firstIndex(of: 0) { part.removeSubrange(zero...) }
      end = part.lastIndex(of: newline).map { start + $0 + 1 }
    }
    let length = end ?? 0
    guard length < size else { return 0 }
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw OutputError(errno: errno) }
    return size - length
  }

  private static let newline = UInt8(ascii: "\n")
}
