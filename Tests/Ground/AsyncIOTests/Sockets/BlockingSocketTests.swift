// SPDX-License-Identifier: MIT
internal import Glibc
internal import Testing

@testable import AsyncIO

@Suite("BlockingSocket")
struct BlockingSocketTests {
  private static func withPair(_ body: (_ ours: Int32, _ theirs: Int32) async throws -> Void) async rethrows {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let ours = OwnedDescriptor(adopting: ends[0])
    let theirs = OwnedDescriptor(adopting: ends[1])
    try await body(ours.raw, theirs.raw)
  }

  @Test("More than the socket holds is sent as it is read")
  func large() async {
    await Self.withPair { ours, theirs in
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
      let received = Promise<[UInt8]>()
      WorkerThread.start {
        var all: [UInt8] = []
        while let more = BlockingSocket.receive(from: theirs) { all += more }
        received.fulfil(all)
      }
      #expect(BlockingSocket.send(bytes, to: ours))
      shutdown(ours, Int32(SHUT_WR))
      #expect(await received.value == bytes)
    }
  }

  @Test("A reader that has ended, and one that is not waited for any longer, end the sending")
  func ends() async {
    await Self.withPair { ours, theirs in
      #expect(!BlockingSocket.send([UInt8](repeating: 0, count: 3_000_000), to: ours) { true })
      #expect(BlockingSocket.receive(from: theirs, within: 0)?.isEmpty == false)
      #expect(BlockingSocket.receive(from: ours, within: 0) == [])
      shutdown(theirs, Int32(SHUT_RDWR))
      #expect(!BlockingSocket.send([1], to: ours))
      #expect(BlockingSocket.receive(from: ours) == nil)
    }
  }
}
