// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// A SOCK_SEQPACKET socket that packets travel on in both directions, at the speed of their readers; used only on the
/// loop.
package final class ChannelSocket: Sendable {
  /// The reason that a packet was not sent, or none was received.
  package enum End: Error, Sendable, Hashable {
    /// The other end, or this one, has closed the channel.
    case closed
    case cancelled
    case timedOut
    /// The number of the system's error.
    case failed(Int32)
  }

  private let descriptor: Int32
  private let loop: EventLoop
  private let maximum: Int
  /// The kernel's count of outgoing packets for a channel that has none; negative if the kernel reports
  /// nothing.
  private let idleLevel: Int32
  private let closing = Lock(false)

  /// The interval at which the kernel is asked for the data waiting to be sent.
  ///
  /// It reports room for more, but not the end.
  private static let pause = Duration.milliseconds(5)

  /// Takes over a socket that does not block; `maximum` is the size of the largest packet to receive.
  package init(adopting socket: consuming OwnedDescriptor, maximum: Int, on loop: EventLoop) {
    (descriptor, self.maximum, self.loop) = (socket.release(), maximum, loop)
    idleLevel = casyncio_unread_count(descriptor)
  }

  deinit { Glibc.close(descriptor) }

  /// Ends the channel at both ends.
  ///
  /// The kernel drops what the other device has not taken; it does not say how much that is.
  package func close() {
    if !closing.exchange(true) { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  /// Waits for a packet; empty ones are left out.
  package func receive(until deadline: ContinuousClock.Instant?) async throws(End) -> [UInt8] {
    var (isEnding, isEnd) = (false, false)
    while true {
      var (count, number) = (0, Int32(0))
      let packet = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, initialized in
        count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        number = errno
        initialized = max(count, 0)
      }
      if count > 0 { return packet }
      // The kernel says first that the other end has closed the channel, as an end of the data or as an error, and then
      // gives what came before.
      if count == 0 {
        if isClosed || isEnd { throw .closed }
        isEnd = isHungUp
        continue
      }
      if number == ECONNRESET { continue }
      // It has no end of the data: a channel that was closed before the read has no more.
      if number == EAGAIN, isEnding { throw .closed }
      isEnding = isHungUp
      if isEnding { continue }
      try await waitOrThrow(number, for: .readable, until: deadline)
    }
  }

  /// Sends a packet, and waits while there is no room for it.
  package func send(_ packet: [UInt8], until deadline: ContinuousClock.Instant?) async throws(End) {
    while !isClosed {
      let count = casyncio_send_packet(descriptor, packet, packet.count)
      if count >= 0 { return }
      try await waitOrThrow(Int32(-count), for: .writable, until: deadline)
    }
    throw .closed
  }

  /// The maximum number of sent bytes that are still in the kernel; nil if the kernel does not report it.
  ///
  /// They leave it when the other end has room for them. The kernel counts the memory of packets, which is more than
  /// their bytes: of a simulated channel the memory that is used, of Bluetooth what is left of the buffer, where 0 says
  /// nothing.
  package var unsentCount: Int? {
    let level = casyncio_unread_count(descriptor)
    guard idleLevel >= 0, level >= 0 else { return nil }
    if idleLevel == 0 { return Int(level) }
    return level == 0 ? nil : Int(abs(idleLevel - level))
  }

  /// Waits until all packets have left the kernel, and gives up if none does for some time; nil sets no limit.
  ///
  /// `note` is told how many bytes are left, at most.
  package func waitUntilSent(
    patience: Duration?, note: (Int) -> Void = { _ in }
  ) async throws(End) {
    guard idleLevel >= 0 else { throw .failed(-idleLevel) }
    var (last, start) = (Int?.none, LoopClock.now)
    while true {
      let count = unsentCount
      // A channel that has ended has dropped its packets: none are left either.
      if isClosed || isHungUp { throw .closed }
      if count == 0 { return }
      if let count { note(count) }
      if count != last { (last, start) = (count, LoopClock.now) }
      if let patience, LoopClock.now - start >= patience { throw .timedOut }
      do { try await loop.sleep(for: ChannelSocket.pause) } catch { throw .cancelled }
    }
  }

  /// Waits until a connection is established.
  package func connected(until deadline: ContinuousClock.Instant?) async throws(End) {
    try await wait(for: .writable, until: deadline)
    let number = casyncio_socket_error(descriptor)
    if number != 0 { throw .failed(abs(number)) }
  }

  private func waitOrThrow(
    _ number: Int32, for events: IOEvents, until deadline: ContinuousClock.Instant?
  ) async throws(End) {
    switch number {
    case EINTR: return
    case EAGAIN: try await wait(for: events, until: deadline)
    case EPIPE, ECONNRESET, ENOTCONN: throw .closed
    default: throw .failed(number)
    }
  }

  private func wait(for events: IOEvents, until deadline: ContinuousClock.Instant?) async throws(End) {
    switch await loop.wait(for: events, of: descriptor, until: deadline) {
    case .value: return
    case .timedOut: throw .timedOut
    case .cancelled: throw .cancelled
    }
  }

  private var isClosed: Bool { closing.withLock(\.self) }

  private var isHungUp: Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
