// SPDX-License-Identifier: MIT
import Glibc

/// Writes to a file descriptor until everything is written; nothing is kept back.
///
/// The system calls can be replaced, so that every one of their moods can be tested.
struct DescriptorWriter: Sendable {
  /// `write(2)`: how many bytes were taken, or the negated `errno`.
  var write: @Sendable (UnsafeRawBufferPointer) -> Int

  /// Returns when the descriptor may take more; called when it is non-blocking and full.
  var waitUntilWritable: @Sendable () -> Void

  /// Writes all the bytes.
  ///
  /// - Parameter bytes: what to write; nothing is written when it is empty.
  /// - Throws: ``ConsoleError/closed`` when the reader is gone; the process must ignore SIGPIPE, or it ends
  ///   instead.
  func writeAll(_ bytes: UnsafeRawBufferPointer) throws(ConsoleError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(UnsafeRawBufferPointer(rebasing: rest))
      switch count {
      case 1...: rest = rest.dropFirst(count)
      case Int(-EINTR): continue
      case Int(-EAGAIN): waitUntilWritable()
      case Int(-EPIPE): throw .closed
      // A write of no bytes is not progress: better an error than a loop without end.
      case 0: throw .failed(errno: EIO)
      default: throw .failed(errno: Int32(-count))
      }
    }
  }
}

extension DescriptorWriter {
  /// A writer to a descriptor that somebody else opened and closes.
  init(descriptor: Int32) {
    write = { bytes in
      let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      return count < 0 ? Int(-errno) : count
    }
    waitUntilWritable = {
      // Non-blocking because somebody else who shares the pipe made it so. POLLERR wakes too: write tells
      // why.
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&entry, 1, -1)
    }
  }
}
