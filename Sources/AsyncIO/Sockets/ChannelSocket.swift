// SPDX-License-Identifier: MIT
internal import CAsyncIO
internal import Glibc

/// A SOCK_SEQPACKET socket that packets travel on in both directions, at the speed of their readers; used only on the
/// loop.
package final class ChannelSocket: @unchecked Sendable {
  /// Why a packet was not sent, or none was received.
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
  private var isClosed = false

  /// Takes over a socket that does not block; `maximum` is the size of the largest packet to receive.
  package init(adopting socket: consuming OwnedDescriptor, maximum: Int, on loop: EventLoop) {
    (descriptor, self.maximum, self.loop) = (socket.release(), maximum, loop)
  }

  deinit { Glibc.close(descriptor) }

  /// Ends the channel at both ends.
  ///
  /// The kernel drops what the other device has not taken; it does not say how much that is.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Waits for a packet; empty ones are left out.
  package func receive() async throws(End) -> [UInt8] {
    var isEnding = false
    while true {
      var (count, number) = (0, Int32(0))
      let packet = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, initialized in
        count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        number = errno
        initialized = max(count, 0)
      }
      if count > 0 { return packet }
      if count == 0 {
        if isClosed || isHungUp { throw .closed }
        continue
      }
      // The kernel says first that the other end has closed the channel, then it gives what came before.
      if number == ECONNRESET { continue }
      // It has no end of the data: a channel that was closed before the read has no more.
      if number == EAGAIN, isEnding { throw .closed }
      isEnding = isHungUp
      if isEnding { continue }
      try await waitOrThrow(number, for: .readable, until: nil)
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
    let promise = Promise<End?>()
    let source = loop.watch(descriptor, for: events) { _ in promise.fulfil(nil) }
    let end = await promise.value(until: deadline, on: loop, ifLate: .timedOut, ifCancelled: .cancelled)
    loop.unwatch(source)
    if let end { throw end }
  }

  private var isHungUp: Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
