// SPDX-License-Identifier: MIT
internal import Glibc

/// The end of a log of lines, where a crash may have left half a record, and a power cut zeros.
enum TextTail {
  /// How much of the end is looked at for zeros: more than a second can bring between two saves.
  private static let window = 1 << 20

  /// Cuts off what is no whole record.
  ///
  /// - Parameter descriptor: a file open for reading and writing.
  /// - Returns: how many bytes were cut off.
  /// - Throws: what the system refuses.
  static func mend(_ descriptor: Int32) throws(LogError) -> Int {
    guard let status = LogFile.status(of: descriptor) else { throw LogError(errno: errno) }
    let size = Int(status.st_size)
    var start = max(0, size - window)
    var tail = try read(descriptor, start..<size)
    if let zero = tail.firstIndex(of: 0) { tail.removeSubrange(zero...) }
    var end = tail.lastIndex(of: newline).map { start + $0 + 1 }
    // A line longer than the window, or a window full of zeros: on to the front.
    while end == nil, start > 0 {
      let upper = start
      start = max(0, start - window)
      var part = try read(descriptor, start..<upper)
      if let zero = part.firstIndex(of: 0) { part.removeSubrange(zero...) }
      end = part.lastIndex(of: newline).map { start + $0 + 1 }
    }
    let length = end ?? 0
    guard length < size else { return 0 }
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw LogError(errno: errno) }
    return size - length
  }

  /// The first line, without its end, or as much of it as is there.
  static func firstLine(_ descriptor: Int32) throws(LogError) -> [UInt8] {
    let size = LogFile.status(of: descriptor).map { Int($0.st_size) } ?? 0
    return Array(try read(descriptor, 0..<min(size, 65536)).prefix { $0 != newline && $0 != 13 && $0 != 0 })
  }

  private static let newline = UInt8(ascii: "\n")

  private static func read(_ descriptor: Int32, _ range: Range<Int>) throws(LogError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(range.lowerBound + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw LogError(errno: errno) }
      if count == 0 { break }
      done += count
    }
    return Array(bytes[..<done])
  }
}
