// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import AsyncIO

@Suite("Socket streams", .timeLimit(.minutes(1)))
struct SocketStreamTests {
  private let loop = EventLoop.shared

  /// What one end has received, and whether the other has gone.
  private struct Received {
    var bytes: [UInt8] = []
    var isBroken: Bool?
  }

  /// Runs `body` on the loop with the ends of a pair of sockets, of which it closes the second one.
  private func withPair(
    _ body: @escaping @Sendable (SocketStream, Watched<Received>, Int32) async throws -> Void
  ) async throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let (near, far) = (ends[0], ends[1])
    try await Task(executorPreference: loop) { [loop] in
      let stream = SocketStream(adopting: OwnedDescriptor(adopting: near), on: loop)
      let received = Watched(Received())
      stream.start { bytes in
        received.change { $0.bytes += bytes }
      } ended: { isBroken in
        received.change { $0.isBroken = isBroken }
      }
      try await body(stream, received, far)
      stream.close()
    }.value
  }

  /// Reads what is there now.
  private static func readNow(_ descriptor: Int32, _ most: Int = 1 << 20) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: most)
    let count = read(descriptor, &buffer, most)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Returns when a descriptor is ready.
  private static func ready(_ descriptor: Int32, for events: IOEvents) async {
    let isReady = Promise<Void>()
    let source = EventLoop.shared.watch(descriptor, for: events) { _ in isReady.fulfil(()) }
    await isReady.value
    EventLoop.shared.unwatch(source)
  }

  /// Returns when the loop has served the sockets that are ready, which come before its timers.
  private static func turn() async throws { try await EventLoop.shared.sleep(for: .zero) }

  @Test("Bytes arrive in order, and the end behind them")
  func order() async throws {
    try await withPair { _, received, far in
      let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(far, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else { await Self.ready(far, for: .writable) }
      }
      close(far)
      await received.wait { $0.isBroken != nil }
      #expect(received.withLock { $0.bytes } == bytes)
    }
  }

  @Test("What the other end does not take waits, and all of it arrives when it does")
  func queue() async throws {
    try await withPair { stream, _, far in
      let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      for start in stride(from: 0, to: bytes.count, by: 1000) {
        stream.send(Array(bytes[start..<start + 1000]))
      }
      await Self.ready(far, for: .readable)
      #expect(stream.waitingCount > 0)
      var read: [UInt8] = []
      while read.count < bytes.count {
        await Self.ready(far, for: .readable)
        read += Self.readNow(far)
      }
      #expect(read == bytes)
      #expect(stream.waitingCount == 0)
      close(far)
    }
  }

  @Test(
    "The last bytes arrive before the end, although the stream is forgotten, and bytes come that nobody reads"
  )
  func farewell() async throws {
    try await withPair { stream, received, far in
      _ = write(far, "unread", 6)
      stream.send(Array("goodbye".utf8))
      stream.end(within: .seconds(10))
      stream.send(Array("too late".utf8))
      var read: [UInt8] = []
      while read.count < 7 {
        await Self.ready(far, for: .readable)
        read += Self.readNow(far)
      }
      #expect(read == Array("goodbye".utf8))
      shutdown(far, Int32(SHUT_WR))
      while stream.isOpen { try await Self.turn() }
      close(far)
      #expect(received.withLock { $0.bytes } == [])
    }
  }

  @Test("An end that never reads is closed at the deadline")
  func deadline() async throws {
    try await withPair { stream, _, far in
      stream.send([UInt8](repeating: 0, count: 4 << 20))
      stream.end(within: .milliseconds(20))
      await Self.ready(far, for: .hangup)
      #expect(!stream.isOpen)
      close(far)
    }
  }

  @Test("A listener of every network accepts clients of both families, and names them by their addresses")
  func listener() throws {
    let listener = try TCPListener(onEveryNetwork: 0)
    let number = listener.port
    let port = try #require(number)
    let client = OwnedDescriptor(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in(
      sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
      sin_addr: in_addr(s_addr: UInt32(0x7f00_0001).bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client.raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(status == 0)
    var peer: String?
    if let accepted = ListeningStream.accept(listener.descriptor) {
      peer = SocketPort.peerAddress(of: accepted.raw)
    }
    #expect(peer == "127.0.0.1")
    let error = #expect(throws: SocketError.self) { _ = try TCPListener(onEveryNetwork: port) }
    #expect(error?.description == "Address already in use")
  }
}
