// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CPlatform
internal import Glibc
internal import TerminalOutput

/// Reads and writes descriptors at the speed of the other ends, without blocking the loop; used only on it.
final class ByteStream: Sendable {
  private struct State {
    /// The tasks that wait for a descriptor.
    var waits: [SourceID: Promise<Bool>] = [:]
    var isClosed = false
    /// True if a read said that the other end has gone without reading all that was written.
    var wasReset = false
    /// True if reading ends with the bytes that are there.
    var isEnding = false
  }

  /// A pipe or terminal that takes anything takes this much without blocking.
  private static let unblockedCount = 512

  /// `POLLRDHUP`, which the headers declare only for GNU sources.
  private static let inputEnd: Int32 = 0x2000

  private let input: Int32
  private let output: Int32
  private let loop: EventLoop
  /// True if the descriptors are ours, and do not block.
  private let isOwned: Bool
  private let state = Lock(State())

  /// Takes over a descriptor that does not block.
  init(adopting descriptor: consuming OwnedDescriptor, on loop: EventLoop) {
    let raw = descriptor.release()
    (input, output, self.loop, isOwned) = (raw, raw, loop, true)
  }

  /// Uses descriptors of others, which may block.
  init(input: Int32, output: Int32, on loop: EventLoop) {
    (self.input, self.output, self.loop, isOwned) = (input, output, loop, false)
  }

  deinit { if isOwned, !isClosed { Glibc.close(input) } }

  private var isClosed: Bool { state.withLock { $0.isClosed } }
  private var isEnding: Bool { state.withLock { $0.isEnding } }

  // MARK: Reading

  /// Waits for bytes, and reads up to `most`; nil at their end, when the other end has gone, and if the task is
  /// cancelled.
  func read(_ most: Int) async -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: min(most, 16 << 10))
    while !isClosed {
      if Task.isCancelled { return nil }
      if !isEnding, await !wait(for: .readable, of: input) { return nil }
      let count = Glibc.read(input, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      let number = count < 0 ? errno : 0
      state.withLock { $0.wasReset = number == ECONNRESET }
      guard number == EINTR || number == EAGAIN && !isEnding else { return nil }
    }
    return nil
  }

  /// Ends reading with the bytes that are there now: no more follow.
  func endReading() {
    let waits = state.withLock { state in
      state.isEnding = true
      return state.waits
    }
    for promise in waits.values { promise.fulfil(true) }
  }

  // MARK: Writing

  /// Writes bytes at the speed of their reader.
  ///
  /// - Throws: ``ConsoleError``: `closed` if the reader has gone, `interrupted` if the task is cancelled.
  func write(_ bytes: [UInt8]) async throws(ConsoleError) {
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try await writeSome(rest)) }
  }

  /// Writes as many of the bytes as their reader accepts, at least one; returns how many.
  ///
  /// - Throws: ``ConsoleError`` as ``write(_:)`` does; then none of the bytes were written.
  func writeSome(_ bytes: ArraySlice<UInt8>) async throws(ConsoleError) -> Int {
    while !isClosed {
      if Task.isCancelled { throw .interrupted }
      guard isOwned || isWritable else {
        guard await waitUntilWritable() else { throw .interrupted }
        continue
      }
      let count = try writeNow(isOwned ? bytes : bytes.prefix(ByteStream.unblockedCount))
      if count > 0 { return count }
      guard await waitUntilWritable() else { throw isClosed ? .closed : .interrupted }
    }
    throw .closed
  }

  /// Writes as many of the bytes as their reader accepts now; returns how many.
  ///
  /// - Throws: ``ConsoleError``: `closed` if the reader has gone.
  func writeNow(_ bytes: ArraySlice<UInt8>) throws(ConsoleError) -> Int {
    while !isClosed {
      let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      case EPIPE, ECONNRESET, EIO: throw .closed
      default: throw .failed(errno: errno)
      }
    }
    throw .closed
  }

  /// Waits until the reader may accept bytes, or has gone; returns false if the task is cancelled first, or the stream
  /// closed.
  func waitUntilWritable() async -> Bool { await wait(for: .writable, of: output) }

  /// Waits until there are bytes to read, or their end; returns false if the task is cancelled first, or the stream
  /// closed.
  func waitUntilReadable() async -> Bool { await wait(for: .readable, of: input) }

  /// Writes a few bytes, unless the reader accepts none now.
  func writeIfPossible(_ bytes: [UInt8]) {
    if !bytes.isEmpty, isWritable { _ = try? writeNow(bytes[...]) }
  }

  private var isWritable: Bool {
    var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  // MARK: The end

  /// Closes descriptors that are ours; tasks that wait for them go on.
  func close() {
    guard isOwned else { return }
    let open = state.withLock { state -> [SourceID: Promise<Bool>]? in
      guard !state.isClosed else { return nil }
      defer { (state.waits, state.isClosed) = ([:], true) }
      return state.waits
    }
    guard let open else { return }
    for (source, promise) in open {
      loop.unwatch(source)
      promise.fulfil(false)
    }
    Glibc.close(input)
  }

  /// True if the other end sends nothing more.
  var isInputEnded: Bool { hasHappened(ByteStream.inputEnd | POLLHUP | POLLERR) }

  /// True if the other end has gone without reading all that was written.
  var hasLeftUnread: Bool {
    let (wasReset, isClosed) = state.withLock { ($0.wasReset, $0.isClosed) }
    return wasReset || !isClosed && abs(casyncio_socket_error(input)) == ECONNRESET
  }

  /// True if the other end is closed in both directions, as far as the kernel knows.
  var isHungUp: Bool { hasHappened(POLLHUP | POLLERR) }

  /// True if a program of this machine has the other end of a TCP connection; nil if another machine may have
  /// it.
  var hasLocalPeer: Bool? { isClosed ? false : LocalSockets.hasPeer(of: input) }

  private func hasHappened(_ events: Int32) -> Bool {
    if isClosed { return true }
    var entry = pollfd(fd: input, events: Int16(events), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// The number of written bytes that the kernel at the other end of a TCP connection has not confirmed.
  var unconfirmedCount: Int { isClosed ? 0 : max(0, Int(casyncio_unread_count(output))) }

  /// The number of written bytes that the kernel holds, here and for a program of this machine.
  var heldCount: Int { unconfirmedCount + (isClosed ? 0 : LocalSockets.unreadCount(behind: input) ?? 0) }

  /// Waits until a descriptor is ready, or the other end closed; returns false if the task is cancelled first, or the
  /// stream closed.
  private func wait(for events: IOEvents, of descriptor: Int32) async -> Bool {
    if Task.isCancelled || isClosed { return false }
    let promise = Promise<Bool>()
    let source = loop.watch(descriptor, for: events) { _ in promise.fulfil(true) }
    state.withLock { $0.waits[source] = promise }
    let isReady = await promise.value(ifCancelled: false)
    if state.withLock({ $0.waits.removeValue(forKey: source) }) != nil { loop.unwatch(source) }
    return isReady
  }
}
