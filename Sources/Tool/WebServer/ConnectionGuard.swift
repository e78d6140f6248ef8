// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Limits connections: their number, the size of requests, and how long they may do nothing.
///
/// The HTTP library has no such limits, and does not show its connections. What they have sent is known to the kernel.
final class ConnectionGuard: Sendable {
  private struct Connection {
    var counts: Counts
    /// The number of bytes that it had sent at our last answer.
    var answeredAt: UInt64 = 0
    var active: ContinuousClock.Instant
  }

  struct Limits: Sendable {
    var connections = 256
    /// The most bytes of a request.
    var request: UInt64 = 64 * 1024
    /// The time limit for an idle connection.
    var idle = Duration.seconds(75)
    /// The time limit for a client that reads nothing of the data waiting for it.
    var stalled = Duration.seconds(1800)
  }

  private let connections = Lock<[Int32: Connection]>([:])
  private let limits: Limits
  private let isOver = Lock(false)

  /// The interval at which connections are checked.
  private static let lookTime: useconds_t = 250_000

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Looks at the connections to a port until ``stop()``, on a thread of its own: requests may keep those of tasks busy.
  func start(port: UInt16) {
    WorkerThread.start { [self] in
      while !isOver.withLock(\.self) {
        look(at: .now, port: port)
        usleep(Self.lookTime)
      }
    }
  }

  func stop() { isOver.exchange(true) }

  /// Looks at all sockets of the process that belong to the port, and ends those beyond the limits.
  private func look(at now: ContinuousClock.Instant, port: UInt16) {
    let open = ((try? Folder.names(in: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
      .filter { SocketPort.local(of: $0) == port }
    let found = open.compactMap { descriptor in Counts(descriptor).map { (descriptor, $0) } }
    let ended = connections.withLock { connections in
      let former = connections
      connections = [:]
      var ended: [Int32] = []
      for (descriptor, counts) in found {
        var connection = former[descriptor] ?? Connection(counts: counts, active: now)
        // Another connection has the descriptor by now.
        if counts.received < connection.counts.received {
          connection = Connection(counts: counts, active: now)
        }
        if counts != connection.counts { connection.active = now }
        if counts.acknowledged != connection.counts.acknowledged { connection.answeredAt = counts.received }
        connection.counts = counts
        let limit = counts.waiting > 0 ? limits.stalled : limits.idle
        if counts.received - connection.answeredAt > limits.request
          || connection.active.duration(to: now) > limit
          || former[descriptor] == nil && connections.count >= limits.connections
        {
          ended.append(descriptor)
        } else {
          connections[descriptor] = connection
        }
      }
      return ended
    }
    for descriptor in ended { Self.end(descriptor) }
  }

  /// Ends a connection; what it has sent is not read any more.
  private static func end(_ descriptor: Int32) {
    // The client is told at once, also one that only sends.
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    shutdown(descriptor, Int32(SHUT_RDWR))
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
  }

  /// The kernel's counts for a connection: `tcp_info`, whose newer fields the C library does not declare.
  private struct Counts: Equatable {
    let acknowledged: UInt64
    let received: UInt64
    /// The number of bytes that have not been sent yet, because the client does not read.
    let waiting: UInt32

    private static let information: Int32 = 11  // TCP_INFO
    private static let closed: UInt8 = 7
    private static let listening: UInt8 = 10

    /// Nil if the descriptor is not an open connection.
    init?(_ descriptor: Int32) {
      var (bytes, length) = ([UInt8](repeating: 0, count: 256), socklen_t(256))
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), Self.information, &bytes, &length) == 0, length >= 148,
        bytes[0] != Self.closed, bytes[0] != Self.listening
      else { return nil }
      (acknowledged, received, waiting) = bytes.withUnsafeBytes {
        (
          $0.loadUnaligned(fromByteOffset: 120, as: UInt64.self),
          $0.loadUnaligned(fromByteOffset: 128, as: UInt64.self),
          $0.loadUnaligned(fromByteOffset: 144, as: UInt32.self)
        )
      }
    }
  }
}
