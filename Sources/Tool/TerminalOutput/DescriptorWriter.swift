// SPDX-License-Identifier: MIT
import Glibc

/// Writes to a file descriptor until everything is written, without a buffer.
///
/// Tests replace the system calls to produce each of their results.
package struct DescriptorWriter: Sendable {
  /// `write(2)`: how many bytes were taken, or the negated `errno`.
  var write: @Sendable (UnsafeRawBufferPointer) -> Int

  /// Returns when the descriptor may take more, or false after the given milliseconds.
  var waitUntilWritable: @Sendable (_ limit: Int?) -> Bool

  /// For how many milliseconds the reader may still take data; nil is unlimited.
  var waitLimit: @Sendable () -> Int? = { nil }

  /// A pipe that takes anything takes this much without blocking.
  private static let unblockedCount = Int(PIPE_BUF)

  /// Writes all the bytes, and tells `count` of each part that is written; an empty buffer makes no system call.
  ///
  /// - Throws: ``ConsoleError/closed`` when the reader is gone; the process must ignore SIGPIPE, or it ends
  ///   instead. ``ConsoleError/interrupted`` when the process must end, and the reader takes nothing.
  package func writeAll(
    _ bytes: UnsafeRawBufferPointer, _ count: (Int) -> Void = { _ in }
  ) throws(ConsoleError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      var slice = rest
      if let waitLimit = waitLimit() {
        guard waitUntilWritable(waitLimit) else { throw .interrupted }
        slice = rest.prefix(DescriptorWriter.unblockedCount)
      }
      guard let written = try attempt(slice) else {
        _ = waitUntilWritable(nil)
        continue
      }
      rest = rest.dropFirst(written)
      count(written)
    }
  }

  /// Writes the bytes that the reader takes at once, and returns the rest; throws like ``writeAll(_:)``.
  func writeAtOnce(_ bytes: UnsafeRawBufferPointer) throws(ConsoleError) -> Slice<UnsafeRawBufferPointer> {
    var rest = bytes[...]
    while !rest.isEmpty, waitUntilWritable(0),
      let count = try attempt(rest.prefix(DescriptorWriter.unblockedCount))
    {
      rest = rest.dropFirst(count)
    }
    return rest
  }

  /// Writes once; returns the number of bytes taken, 0 after a signal, nil if the descriptor takes none now.
  private func attempt(_ slice: Slice<UnsafeRawBufferPointer>) throws(ConsoleError) -> Int? {
    let count = write(UnsafeRawBufferPointer(rebasing: slice))
    switch count {
    case 1...: return count
    case Int(-EINTR): return 0
    case Int(-EAGAIN): return nil
    case Int(-EPIPE): throw .closed
    // A write of no bytes would loop forever.
    case 0: throw .failed(errno: EIO)
    default: throw .failed(errno: Int32(-count))
    }
  }
}

extension DescriptorWriter {
  /// A writer to a descriptor that the caller opens and closes.
  package init(descriptor: Int32, waitLimit: @escaping @Sendable () -> Int? = { nil }) {
    self.waitLimit = waitLimit
    write = { bytes in
      let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      return count < 0 ? Int(-errno) : count
    }
    waitUntilWritable = { limit in
      // Another process may have made a shared pipe non-blocking. On POLLERR, write returns the reason.
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let count = poll(&entry, 1, limit.map { Int32(clamping: $0) } ?? -1)
      // After a signal, the caller checks everything again.
      return count > 0 || (count < 0 && errno == EINTR)
    }
  }
}
