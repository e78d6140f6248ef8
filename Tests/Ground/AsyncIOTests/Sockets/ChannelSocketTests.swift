// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Testing

@Suite("ChannelSocket", .timeLimit(.minutes(1)))
struct ChannelSocketTests {
  /// A channel on a loop, and the other end of its socket.
  private actor Probe {
    nonisolated let loop = EventLoop.shared
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }
    private let socket: ChannelSocket
    private var peer: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
      socket = ChannelSocket(adopting: OwnedDescriptor(adopting: ends[0]), maximum: 2048, on: .shared)
      peer = ends[1]
    }

    isolated deinit { closePeer() }

    var unsentCount: Int? { socket.unsentCount }

    func send(_ packet: [UInt8]) async throws { try await socket.send(packet, until: nil) }

    /// Returns the counts that were noted.
    func waitUntilSent(patience: Duration?) async throws -> [Int] {
      var counts: [Int] = []
      try await socket.waitUntilSent(patience: patience) { counts.append($0) }
      return counts
    }

    func receive(until deadline: ContinuousClock.Instant?) async throws -> [UInt8] {
      try await socket.receive(until: deadline)
    }

    /// Sends from the other end.
    func answer(_ packet: [UInt8]) { _ = Glibc.send(peer, packet, packet.count, Int32(MSG_NOSIGNAL)) }

    /// Reads one packet at the other end, as soon as the loop has nothing else to do.
    func readLater() {
      loop.submit { [peer] in
        var buffer = [UInt8](repeating: 0, count: 2048)
        _ = recv(peer, &buffer, buffer.count, 0)
      }
    }

    func closePeer() {
      if peer >= 0 { close(peer) }
      peer = -1
    }
  }

  @Test("What the other end does not take is never sent, and the wait for it ends when its time is over")
  func patience() async throws {
    let probe = try Probe()
    #expect(await probe.unsentCount == 0)
    try await probe.send([UInt8](repeating: 1, count: 1000))
    try await probe.send([2])
    let count = try #require(await probe.unsentCount)
    #expect(count >= 1001)
    await #expect(throws: ChannelSocket.End.timedOut) {
      _ = try await probe.waitUntilSent(patience: .milliseconds(20))
    }
  }

  @Test("The wait ends when the other end has taken everything")
  func sent() async throws {
    let probe = try Probe()
    try await probe.send([1])
    try await probe.send([2])
    async let counts = probe.waitUntilSent(patience: nil)
    await probe.readLater()
    await probe.readLater()
    let noted = try await counts
    #expect(noted == noted.sorted(by: >))
    #expect(await probe.unsentCount == 0)
    #expect(try await probe.waitUntilSent(patience: nil) == [])
  }

  @Test("A channel that the other end closes has not sent what was not taken")
  func closed() async throws {
    let probe = try Probe()
    try await probe.send([1])
    await probe.closePeer()
    await #expect(throws: ChannelSocket.End.closed) { _ = try await probe.waitUntilSent(patience: nil) }
  }

  @Test("A packet that comes after the deadline is received by the next call")
  func deadline() async throws {
    let probe = try Probe()
    await #expect(throws: ChannelSocket.End.timedOut) { _ = try await probe.receive(until: .now) }
    await probe.answer([7])
    #expect(try await probe.receive(until: nil) == [7])
  }
}
