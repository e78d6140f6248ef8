// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// Writes packets to a SOCK_SEQPACKET socket, at the speed of its reader; confined to the loop's thread.
package final class PacketSink {
  package enum Outcome: Sendable, Equatable {
    /// The socket accepted this many. After ``drain(until:)``, the other end has read them all.
    case taken(Int)
    case closed
    case cancelled
    case timedOut
  }

  private let loop: EventLoop
  private let descriptor: Int32

  package init(adopting socket: consuming OwnedDescriptor, on loop: EventLoop) {
    self.loop = loop
    descriptor = socket.release()
  }

  deinit { close(descriptor) }

  /// Writes as many packets as the socket accepts, at least one, on the loop's thread.
  package func send(
    _ packets: ArraySlice<[UInt8]>, until deadline: ContinuousClock.Instant?
  ) async -> Outcome {
    var count = 0
    while count < packets.count {
      let taken = packets[packets.startIndex + count].withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if taken >= 0 {
        count += 1
        continue
      }
      switch errno {
      case EINTR: continue
      case _ where count > 0: return .taken(count)
      case EAGAIN:
        if let end = await waitForRoom(until: deadline) { return end }
      default: return .closed
      }
    }
    return .taken(count)
  }

  /// - Returns: why there will be no room; nil if there is room.
  private func waitForRoom(
    until deadline: ContinuousClock.Instant?
  ) async -> Outcome? {
    switch await loop.wait(for: .writable, of: descriptor, until: deadline) {
    case .value(let events): events.isClosed ? .closed : nil
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    }
  }

  /// Waits until the other end has read everything: closing the socket may lose unread packets.
  ///
  /// The kernel does not notify us of this, so it is polled every millisecond.
  package func drain(
    until deadline: ContinuousClock.Instant?
  ) async -> Outcome {
    while true {
      let unread = casyncio_unread_count(descriptor)
      // If the other end is closed, its unread packets are lost, and nothing remains unread.
      if unread < 0 || isHungUp { return .closed }
      if unread == 0 { return .taken(0) }
      if let deadline, deadline <= LoopClock.now { return .timedOut }
      do { try await loop.sleep(for: .milliseconds(1)) } catch { return .cancelled }
    }
  }

  private var isHungUp: Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
