// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import BlectlSerial

@Suite("Servers for programs", .timeLimit(.minutes(1)))
struct ServerPortTests {
  private enum Kind: String, CaseIterable {
    case tcp
    case unix
  }

  private let loop = EventLoop.shared
  private let reports = Lock<[String]>([])
  /// Bytes that differ at every place of a packet.
  private static let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

  /// Runs `body` on the loop with a port.
  private func with(
    _ kind: Kind, isShared: Bool = false, _ body: @escaping @Sendable (ServerPort) async throws -> Void
  ) async throws {
    // As in blectl: the write to a program that has gone fails instead.
    signal(SIGPIPE, SIG_IGN)
    let directory = try ScratchDirectory()
    let path = "\(directory.path)/port"
    let address = kind == .tcp ? ServerAddress.tcp(host: "127.0.0.1", port: 0) : .unix(path)
    try await Task(executorPreference: loop) { [loop, reports] in
      let port = try ServerPort(address, isShared: isShared, limit: 1 << 20, on: loop) { text in
        reports.withLock { $0.append(text) }
      }
      defer { port.end() }
      try await body(port)
    }.value
    withExtendedLifetime(directory) {}
  }

  @Test("The next program gets what one that read nothing has left", arguments: Kind.allCases)
  private func leaving(kind: Kind) async throws {
    try await with(kind) { [loop] port in
      let writing = Task(executorPreference: loop) { try await port.writeAll(Self.bytes) }
      let first = try PortProbe(port.place, on: loop)
      // It is connected, and has been given bytes.
      _ = await first.read { !$0.isEmpty }
      first.close()
      let second = try PortProbe(port.place, on: loop)
      let read = await second.read { $0.hasSuffix(Self.bytes.suffix(1000)) }
      try await writing.value
      // What the first one's end of the socket had is lost with it.
      #expect(read.count > Self.bytes.count / 2)
      #expect(read == Self.bytes.suffix(read.count))
    }
  }

  @Test("A program that joins a shared port gets all that has waited")
  private func joining() async throws {
    try await with(.unix, isShared: true) { [loop] port in
      let writing = Task(executorPreference: loop) { try await port.writeAll(Self.bytes) }
      let program = try PortProbe(port.place, on: loop)
      let read = await program.read { $0.count >= Self.bytes.count }
      try await writing.value
      #expect(read == Self.bytes)
    }
    #expect(reports.withLock { $0 } == [])
  }

  @Test("What comes after a program has left waits for the next one", arguments: Kind.allCases)
  private func waiting(kind: Kind) async throws {
    try await with(kind) { [loop] port in
      let first = try PortProbe(port.place, on: loop)
      try await first.write([0])
      #expect(try await port.read { !$0.isEmpty } == [0])
      first.close()
      let writing = Task(executorPreference: loop) {
        for byte in 1...3 { try await port.writeAll([UInt8(byte)]) }
      }
      let second = try PortProbe(port.place, on: loop)
      #expect(await second.read { $0.count == 3 } == [1, 2, 3])
      try await writing.value
    }
    #expect(reports.withLock { $0 } == [])
  }

  @Test(
    "A program that has ended gives way to one that connects at once, and is read first",
    arguments: Kind.allCases)
  private func reconnecting(kind: Kind) async throws {
    try await with(kind) { [loop] port in
      for byte in 0..<10 {
        let program = try PortProbe(port.place, on: loop)
        try await program.write([UInt8(byte)])
        program.close()
      }
      #expect(try await port.read { $0.count == 10 } == Array(0..<10))
    }
    #expect(reports.withLock { $0 } == [])
  }

  @Test(
    "A program that sends nothing more keeps its answers, although another one connects",
    arguments: Kind.allCases)
  private func halfClosed(kind: Kind) async throws {
    try await with(kind) { port in
      let first = try PortProbe(port.place, on: loop)
      try await first.write([0])
      first.endWriting()
      #expect(try await port.read { !$0.isEmpty } == [0])
      let second = try PortProbe(port.place, on: loop)
      #expect(await second.read { !$0.isEmpty } == [])
      try await port.writeAll([1, 2, 3])
      #expect(await first.read { $0.count == 3 } == [1, 2, 3])
    }
    #expect(reports.withLock { $0 } == ["a program was refused: another one is connected"])
  }

  @Test(
    "Programs that have left a shared port take no place, and nothing is said of what they did not ask for",
    arguments: Kind.allCases)
  private func passing(kind: Kind) async throws {
    try await with(kind, isShared: true) { port in
      for byte in 0..<40 {
        let program = try PortProbe(port.place, on: loop)
        try await program.write([UInt8(byte)])
        #expect(try await port.read { !$0.isEmpty } == [UInt8(byte)])
        try await port.writeAll([UInt8(byte)])
        #expect(await program.read { $0.contains(UInt8(byte)) }.last == UInt8(byte))
        program.close()
      }
    }
    #expect(reports.withLock { $0 } == [])
  }

  @Test("The kernel's list tells a connection that its program has closed from one that it still reads")
  func list() {
    let list = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1E61 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 8101 1
         1: 0100007F:D2F0 0100007F:1E61 05 00000000:00001F40 00:00000000 00000000  1000        0 8102 1
         2: 0100007F:D2F2 0100007F:1E61 05 00000000:00000000 03:00001522 00000000     0        0 0 3
      """
    #expect(LocalSockets.isOpen(from: 0xd2f0, to: 7777, in: list) == true)
    #expect(LocalSockets.isOpen(from: 0xd2f2, to: 7777, in: list) == false)
    #expect(LocalSockets.isOpen(from: 0xd2f4, to: 7777, in: list) == nil)
    #expect(LocalSockets.unreadCount(from: 0xd2f0, to: 7777, in: list) == 8000)
    #expect(LocalSockets.unreadCount(from: 0xd2f4, to: 7777, in: list) == nil)
  }

  @Test("Each part that a program takes shows in what the kernel has for it", arguments: Kind.allCases)
  private func taking(kind: Kind) async throws {
    try await with(kind) { [loop] port in
      let program = try PortProbe(port.place, on: loop)
      let writing = Task(executorPreference: loop) { try await port.writeAll(Self.bytes) }
      // The tasks of the loop have their turns, until nothing more fits.
      for _ in 0..<1000 { await Task.yield() }
      let before = port.heldCount
      let read = program.readNow(1000)
      #expect(read == Array(Self.bytes.prefix(1000)))
      #expect(port.heldCount < before)
      writing.cancel()
      _ = await writing.result
    }
  }

  @Test("A second program is refused while the first one is connected", arguments: Kind.allCases)
  private func refusing(kind: Kind) async throws {
    try await with(kind) { [loop] port in
      let first = try PortProbe(port.place, on: loop)
      let second = try PortProbe(port.place, on: loop)
      #expect(await second.read { !$0.isEmpty } == [])
      try await port.writeAll([1])
      #expect(await first.read { !$0.isEmpty } == [1])
    }
    #expect(reports.withLock { $0 } == ["a program was refused: another one is connected"])
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ end: ArraySlice<UInt8>) -> Bool { suffix(end.count) == end }
}
