// SPDX-License-Identifier: MIT
internal import Glibc

/// The bytes of a connected stream socket, in both directions, without waiting; confined to the loop's thread.
///
/// What the other end does not take yet waits in a queue, whose length its owner watches.
package final class SocketStream {
  /// The number of bytes that are read at once.
  private static let part = 16 << 10
  /// The number of turns of the loop that one socket may take before the others have theirs.
  private static let partsAtOnce = 4

  private let loop: EventLoop
  private let descriptor: Int32
  private var source: SourceID?
  private var outgoing: [UInt8] = []
  /// The number of bytes of ``outgoing`` that are sent.
  private var sentCount = 0
  private var isFlushing = false
  /// Closes the socket at the end of the time for the last bytes; nil while more are sent.
  private var ending: TimerID?
  private var received: ([UInt8]) -> Void = { _ in }
  private var ended: (Bool) -> Void = { _ in }

  /// Takes over a socket that does not block; call on the loop's thread.
  package init(adopting socket: consuming OwnedDescriptor, on loop: EventLoop) {
    self.loop = loop
    descriptor = socket.release()
    // Small messages must not wait for others; it fails for sockets that are not of TCP.
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close() }

  /// Starts to read.
  ///
  /// - Parameters:
  ///   - received: gets the bytes as they come.
  ///   - ended: called once when the other end has gone, and true if it has broken the connection; not after ``close()``.
  package func start(received: @escaping ([UInt8]) -> Void, ended: @escaping (Bool) -> Void) {
    (self.received, self.ended) = (received, ended)
    source = loop.watch(descriptor, for: .readable) { [weak self] events in self?.serve(events) }
  }

  /// The number of bytes that wait until the other end takes them.
  package var waitingCount: Int { outgoing.count - sentCount }

  package private(set) var isOpen = true

  /// Sends bytes as soon as the other end takes them: those of one turn of the loop together.
  package func send(_ bytes: [UInt8]) {
    guard isOpen, ending == nil else { return }
    outgoing += bytes
    guard !isFlushing else { return }
    isFlushing = true
    loop.atEndOfTurn { [weak self] in self?.flush() }
  }

  /// Reads nothing more, and closes the socket when the bytes that wait are sent, or at a deadline.
  package func end(within limit: Duration) {
    guard isOpen, ending == nil else { return }
    // Its owner may forget it.
    ending = loop.schedule(at: LoopClock.now + limit) { [self] in close() }
    flush()
  }

  /// Closes the socket at once.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    if let source { loop.unwatch(source) }
    if let ending { loop.cancel(ending) }
    Glibc.close(descriptor)
    (received, ended) = ({ _ in }, { _ in })
    (outgoing, sentCount) = ([], 0)
  }

  // MARK: Events

  private func serve(_ events: IOEvents) {
    if events.contains(.writable) { flush() }
    if ending != nil { return drain() }
    if events.contains(.readable) || events.isClosed { read() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Self.part)
    for _ in 0..<Self.partsAtOnce {
      guard isOpen, ending == nil else { return }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        received(Array(buffer[..<count]))
        if count < buffer.count { return }
        continue
      }
      let number = count < 0 ? errno : 0
      if number == EINTR { continue }
      if number != EAGAIN { finish(isBroken: count < 0) }
      return
    }
  }

  /// Discards what comes while the last bytes go: closing with unread bytes would reset the connection before they arrive.
  private func drain() {
    guard isOpen else { return }
    var buffer = [UInt8](repeating: 0, count: Self.part)
    for _ in 0..<Self.partsAtOnce {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { continue }
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      return close()
    }
  }

  private func flush() {
    isFlushing = false
    while isOpen, sentCount < outgoing.count {
      let count = outgoing.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress.map { $0 + sentCount }, $0.count - sentCount, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sentCount += count
        continue
      }
      if errno == EINTR { continue }
      if errno == EAGAIN { break }
      return finish(isBroken: true)
    }
    guard isOpen, let source else { return }
    if sentCount == outgoing.count {
      outgoing.removeAll(keepingCapacity: outgoing.capacity <= Self.part)
      sentCount = 0
      // The other end sees the end behind the last byte.
      if ending != nil { shutdown(descriptor, Int32(SHUT_WR)) }
      loop.setInterest(.readable, of: source)
    } else {
      if sentCount > Self.part {
        outgoing.removeFirst(sentCount)
        sentCount = 0
      }
      loop.setInterest([.readable, .writable], of: source)
    }
  }

  private func finish(isBroken: Bool) {
    let ended = ended
    close()
    ended(isBroken)
  }
}
