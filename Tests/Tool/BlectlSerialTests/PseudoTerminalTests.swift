// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import BlectlSerial

@Suite("Pseudo-terminals", .timeLimit(.minutes(1)))
struct PseudoTerminalTests {
  private let loop = EventLoop.shared
  private static let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

  @Test("A terminal takes what it can count, and goes on when a program has read that")
  func counting() async throws {
    try await Task(executorPreference: loop) { [loop] in
      let port = try PseudoTerminal(link: nil, on: loop)
      defer { port.end() }
      let first = try await port.write(Self.bytes[...])
      #expect(first < Self.bytes.count)
      #expect(port.unreadCount == first)
      let end = open(port.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      let program = ByteStream(adopting: OwnedDescriptor(adopting: end), on: loop)
      var read: [UInt8] = []
      while read.count < first, let more = await program.read(first - read.count) { read += more }
      let second = try await port.write(Self.bytes[first...])
      #expect(port.unreadCount == second)
      while read.count < first + second, let more = await program.read(16 << 10) { read += more }
      #expect(read == Array(Self.bytes[..<(first + second)]))
    }.value
  }

  @Test("All bytes get to a program that reads, however many they are")
  func passing() async throws {
    try await Task(executorPreference: loop) { [loop] in
      let port = try PseudoTerminal(link: nil, on: loop)
      defer { port.end() }
      let writing = Task(executorPreference: loop) { try await port.writeAll(Self.bytes) }
      let end = open(port.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      let program = ByteStream(adopting: OwnedDescriptor(adopting: end), on: loop)
      var read: [UInt8] = []
      while read.count < Self.bytes.count, let more = await program.read(16 << 10) { read += more }
      try await writing.value
      #expect(read == Self.bytes)
      // The end of the port hangs up.
      port.end()
      #expect(await program.read(1) == nil)
    }.value
  }
}
