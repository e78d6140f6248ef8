// SPDX-License-Identifier: MIT
internal import Glibc

/// Files that are read to their end, on the calling thread.
package enum WholeFile {
  /// The reason that a file could not be read.
  package enum Failure: Error, Sendable, Hashable {
    /// The number of the system's error.
    case system(Int32)
    case tooLong

    /// The rest of a sentence about a file that was read up to a limit.
    package func cause(limit: Int) -> String {
      switch self {
      case .system(let number): ErrorNumber(code: number).description
      case .tooLong: "is larger than \(limit >> 20) MiB"
      }
    }
  }

  ///   - flags: added to those of open(2).
  package static func read(_ path: String, atMost limit: Int, flags: Int32 = 0) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    return try read(descriptor, atMost: limit) { _ throws(Never) in }.get()
  }

  /// The text of a file, with invalid UTF-8 replaced; nil if it cannot be read or is too long.
  package static func text(_ path: String, atMost limit: Int = 1 << 20, flags: Int32 = 0) -> String? {
    (try? read(path, atMost: limit, flags: flags)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads to the end of a descriptor, which may be a pipe or a terminal.
  ///
  ///   - check: called with each part, and with none when a signal interrupts the read; its error ends it.
  package static func read<Refusal: Error>(
    _ descriptor: Int32, atMost limit: Int, check: (ArraySlice<UInt8>) throws(Refusal) -> Void
  ) throws(Refusal) -> Result<[UInt8], Failure> {
    var bytes: [UInt8] = []
    while true {
      var (count, number) = (0, Int32(0))
      // Most files are small: zeroing the buffer would take longer than to read them.
      let part = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, initialized in
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        number = errno
        initialized = max(count, 0)
      }
      if count == 0 { return .success(bytes) }
      guard count > 0 || number == EINTR else { return .failure(.system(number)) }
      bytes += part
      guard bytes.count <= limit else { return .failure(.tooLong) }
      try check(part[...])
    }
  }
}
