// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Testing

@Suite("PacketSink", .timeLimit(.minutes(1)))
struct PacketSinkTests {
  /// A sink on a loop, and the other end of its socket.
  private actor Probe {
    nonisolated let loop = EventLoop.shared
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }
    private let sink: PacketSink
    private var peer: Int32
    private var source: PacketSource?
    private let received = BatchChannel<[UInt8]>()

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      sink = PacketSink(adopting: OwnedDescriptor(adopting: ends[0]), on: .shared)
      peer = ends[1]
    }

    isolated deinit {
      source?.close()
      closePeer()
    }

    func closePeer() {
      if peer >= 0 { close(peer) }
      peer = -1
    }

    func send(
      _ packets: ArraySlice<[UInt8]>, until deadline: ContinuousClock.Instant? = nil
    ) async
      -> PacketSink.Outcome
    { await sink.send(packets, until: deadline) }

    func drain() async -> PacketSink.Outcome { await sink.drain(until: nil) }

    /// Sends until the socket takes no more.
    ///
    /// - Returns: how many it took.
    func fill() async -> Int {
      var count = 0
      while case .taken(let taken) = await sink.send([[1], [2], [3]], until: .now) { count += taken }
      return count
    }

    func read() {
      source = PacketSource(
        adopting: OwnedDescriptor(adopting: peer), on: loop,
        received: { [received] packets in for packet in packets { received.send(packet) } },
        ended: { [received] in received.finish() })
      peer = -1
    }

    func next(_ count: Int) async -> [[UInt8]] {
      var packets: [[UInt8]] = []
      while packets.count < count, let batch = await received.next() { packets += batch.elements }
      return packets
    }
  }

  @Test("Many packets keep their bounds and their order, the empty ones too, though they do not fit at once")
  func order() async throws {
    let probe = try Probe()
    let packets = (0..<2000).map { number in Array(repeating: UInt8(number % 251), count: number % 21) }
    let full = Task {
      var sent = 0
      while sent < packets.count {
        guard case .taken(let count) = await probe.send(packets[sent...]) else { return sent }
        sent += count
      }
      return sent
    }
    await probe.read()
    #expect(await probe.next(packets.count) == packets)
    #expect(await full.value == packets.count)
    #expect(await probe.drain() == .taken(0))
  }

  @Test("No packets send nothing, and an empty packet alone is sent")
  func empty() async throws {
    let probe = try Probe()
    #expect(await probe.send([]) == .taken(0))
    #expect(await probe.send([[]]) == .taken(1))
    await probe.read()
    #expect(await probe.next(1) == [[]])
  }

  @Test("A full socket is waited for until the deadline, and takes the rest when it is read")
  func full() async throws {
    let probe = try Probe()
    let count = await probe.fill()
    #expect(count > 64)
    #expect(await probe.send([[4]], until: .now) == .timedOut)
    let waiting = Task { await probe.send([[5]]) }
    await probe.read()
    #expect(await waiting.value == .taken(1))
    let packets = await probe.next(count + 1)
    #expect(packets.count == count + 1)
    #expect(packets.last == [5])
  }

  @Test("A task that is cancelled waits no longer")
  func cancelled() async throws {
    let probe = try Probe()
    _ = await probe.fill()
    let waiting = Task { await probe.send([[4]]) }
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
  }

  @Test("A socket whose other end is closed takes nothing, whether it was waited for or not")
  func closed() async throws {
    let probe = try Probe()
    _ = await probe.fill()
    let waiting = Task { await probe.send([[4]]) }
    await probe.closePeer()
    #expect(await waiting.value == .closed)
    #expect(await probe.send([[4]]) == .closed)
    #expect(await probe.drain() == .closed)
  }
}
