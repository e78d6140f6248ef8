// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Testing

/// A packet source on a loop, the other end of its socket, and what it was told.
actor PacketProbe {
  enum Event: Sendable, Hashable {
    case packet([UInt8])
    case ended
  }

  nonisolated let loop = EventLoop.shared
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }
  private let events = BatchChannel<Event>()
  private let descriptor: Int32
  private var peer: Int32
  private var source: PacketSource?
  private var backlog: [Event] = []

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(
      socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    (descriptor, peer) = (ends[0], ends[1])
  }

  isolated deinit {
    source?.close()
    closePeer()
  }

  /// Begins to read.
  func open() {
    source = PacketSource(
      adopting: OwnedDescriptor(adopting: descriptor), on: loop,
      received: { [events] packets in
        for packet in packets { events.send(.packet(packet)) }
      },
      ended: { [events] in events.send(.ended) })
  }

  func close() { source?.close() }

  func send(_ packets: [[UInt8]]) {
    for packet in packets { _ = Glibc.send(peer, packet, packet.count, Int32(MSG_NOSIGNAL)) }
  }

  func closePeer() {
    if peer >= 0 { Glibc.close(peer) }
    peer = -1
  }

  /// The next events, as many as are asked for; fewer when the end comes first.
  func next(_ count: Int) async -> [Event] {
    while backlog.count < count, backlog.last != .ended, let batch = await events.next() {
      backlog += batch.elements
    }
    defer { backlog.removeFirst(min(count, backlog.count)) }
    return Array(backlog.prefix(count))
  }

  /// The packets that came unasked.
  func rest() async -> [Event] {
    events.nudge()
    let batch = await events.next()
    defer { backlog = [] }
    return backlog + (batch?.elements ?? [])
  }

  /// Whether our end is closed, at the latest after `limit`: a child process that another test starts has it until its
  /// program runs.
  func isPeerAlone(within limit: Duration) -> Bool {
    var state = pollfd(fd: peer, events: 0, revents: 0)
    return poll(&state, 1, Int32(limit / .milliseconds(1))) == 1 && state.revents & Int16(POLLHUP) != 0
  }
}
