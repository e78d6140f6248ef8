// SPDX-License-Identifier: MIT
internal import Glibc

/// Reads files.
enum FileBytes {
  /// Refuses endless files; far more than any real world or log.
  private static let limit = 256 << 20

  /// The contents of a file.
  static func read(_ path: String) throws(WorldFileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > limit { throw WorldFileError(path, cause: "is larger than \(limit >> 20) MiB") }
    }
  }

  private static func failure(_ path: String) -> WorldFileError {
    WorldFileError(path, cause: String(cString: strerror(errno)))
  }
}
