// SPDX-License-Identifier: MIT
internal import CAsyncIO
internal import Glibc

/// Writes packets to a SOCK_SEQPACKET socket, no faster than its other end takes them.
///
/// Confined to the loop's thread.
package final class PacketSink {
  /// What became of packets.
  package enum Outcome: Sendable, Equatable {
    /// The socket took so many; at the end of ``drain(until:isolation:)`` its other end has them all.
    case taken(Int)
    /// The other end has closed the socket.
    case closed
    /// The task was cancelled.
    case cancelled
    /// The deadline came first.
    case timedOut
  }

  private let loop: EventLoop
  private let descriptor: Int32

  /// - Parameters:
  ///   - socket: closed when the sink goes.
  ///   - loop: what waits for room.
  package init(adopting socket: consuming OwnedDescriptor, on loop: EventLoop) {
    self.loop = loop
    descriptor = socket.release()
  }

  deinit { close(descriptor) }

  /// Writes the first of some packets, as many as the socket takes at once; waits for room for one.
  ///
  /// Call on the loop's thread.
  package func send(
    _ packets: ArraySlice<[UInt8]>, until deadline: ContinuousClock.Instant?,
    isolation: isolated any Actor = #isolation
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

  /// - Returns: why there will be none; nil when there is room.
  private func waitForRoom(
    until deadline: ContinuousClock.Instant?, isolation: isolated any Actor = #isolation
  ) async -> Outcome? {
    let promise = Promise<Outcome?>()
    let source = loop.watch(descriptor, for: .writable) { events in
      promise.fulfil(events.isDisjoint(with: [.hangup, .error]) ? nil : .closed)
    }
    let timer = deadline.map { loop.schedule(at: $0) { promise.fulfil(.timedOut) } }
    let end = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(.cancelled)
    }
    loop.unwatch(source)
    if let timer { loop.cancel(timer) }
    return end
  }

  /// Waits until the other end has read everything: what it has not may be lost when the socket is closed.
  ///
  /// The kernel tells no one when that happens, so that it is asked, each millisecond.
  package func drain(
    until deadline: ContinuousClock.Instant?, isolation: isolated any Actor = #isolation
  ) async -> Outcome {
    while true {
      let unread = casyncio_unread_count(descriptor)
      // Nothing is unread either when the other end was closed: what it had not read is gone.
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
