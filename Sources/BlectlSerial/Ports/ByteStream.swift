// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import TerminalOutput

/// Reads and writes descriptors at the speed of the other ends, without blocking the loop; used only on it.
final class ByteStream: @unchecked Sendable {
  /// A pipe or terminal that takes anything takes this much without blocking.
  private static let unblockedCount = 512

  private let input: Int32
  private let output: Int32
  private let loop: EventLoop
  /// Whether the descriptors are ours, and do not block.
  private let isOwned: Bool

  /// Takes over a descriptor that does not block.
  init(adopting descriptor: consuming OwnedDescriptor, on loop: EventLoop) {
    let raw = descriptor.release()
    (input, output, self.loop, isOwned) = (raw, raw, loop, true)
  }

  /// Uses descriptors of others, which may block.
  init(input: Int32, output: Int32, on loop: EventLoop) {
    (self.input, self.output, self.loop, isOwned) = (input, output, loop, false)
  }

  deinit { if isOwned { close(input) } }

  /// Waits for bytes, and reads up to `most`; nil at their end, when the other end has gone, and if the task is
  /// cancelled.
  func read(_ most: Int) async -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: min(most, 16 << 10))
    while await wait(for: .readable, of: input) {
      let count = Glibc.read(input, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
    }
    return nil
  }

  /// Writes bytes at the speed of their reader.
  ///
  /// - Throws: ``ConsoleError``: `closed` if the reader has gone, `interrupted` if the task is cancelled.
  func write(_ bytes: [UInt8]) async throws(ConsoleError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard isOwned || isWritable else {
        guard await wait(for: .writable, of: output) else { throw .interrupted }
        continue
      }
      let part = isOwned ? rest : rest.prefix(ByteStream.unblockedCount)
      let count = part.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN where count < 0, 0 where count == 0:
        guard await wait(for: .writable, of: output) else { throw .interrupted }
      case EPIPE, ECONNRESET, EIO: throw .closed
      default: throw .failed(errno: errno)
      }
    }
  }

  private var isWritable: Bool {
    var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  /// Waits until a descriptor is ready, or closed; returns false if the task is cancelled first.
  private func wait(for events: IOEvents, of descriptor: Int32) async -> Bool {
    if Task.isCancelled { return false }
    let promise = Promise<Bool>()
    let source = loop.watch(descriptor, for: events) { _ in promise.fulfil(true) }
    defer { loop.unwatch(source) }
    return await promise.value(ifCancelled: false)
  }
}
