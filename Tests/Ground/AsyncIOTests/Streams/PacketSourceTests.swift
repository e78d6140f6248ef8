// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Testing

@Suite("PacketSource", .timeLimit(.minutes(1)))
struct PacketSourceTests {
  private typealias Event = PacketProbe.Event

  @Test("Packets keep their bounds and their order, the empty ones too")
  func order() async throws {
    let probe = try PacketProbe()
    await probe.open()
    await probe.send([[1, 2, 3], [], [4], []])
    #expect(await probe.next(4) == [.packet([1, 2, 3]), .packet([]), .packet([4]), .packet([])])
    await probe.send([[5]])
    #expect(await probe.next(1) == [.packet([5])])
  }

  @Test("A burst of more packets than one system call takes is delivered completely")
  func burst() async throws {
    let probe = try PacketProbe()
    let packets = (0..<150).map { [UInt8($0)] }
    await probe.send(packets)
    await probe.open()
    #expect(await probe.next(150) == packets.map { .packet($0) })
    #expect(await probe.rest() == [])
  }

  @Test(
    "Packets sent before the hang-up come first, then the end, once",
    arguments: [0, 1, 2, 63, 64, 65, 128, 200])
  func hangUp(count: Int) async throws {
    let probe = try PacketProbe()
    let packets = (0..<count).map { [UInt8($0)] }
    await probe.send(packets)
    await probe.closePeer()
    await probe.open()
    #expect(await probe.next(count + 1) == packets.map { .packet($0) } + [.ended])
    #expect(await probe.rest() == [])
  }

  @Test(
    "An empty packet is not taken for the end, wherever it stands among others",
    arguments: [0, 1, 62, 63, 64])
  func emptyPacketBeforeHangUp(position: Int) async throws {
    let probe = try PacketProbe()
    var packets = (0..<100).map { [UInt8($0)] }
    packets[position] = []
    await probe.send(packets)
    await probe.closePeer()
    await probe.open()
    #expect(await probe.next(101) == packets.map { .packet($0) } + [.ended])
  }

  @Test("A hang-up between the poll and the read gives no packets that were never sent")
  func lateHangUp() async throws {
    let probe = try PacketProbe()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    // Watched before the probe's socket: when both are ready, this handler runs between the poll and the probe's read.
    let source = await onLoop(probe) { probe in
      probe.loop.watch(reader, for: .readable) { _ in
        var byte: UInt8 = 0
        _ = read(reader, &byte, 1)
        probe.assumeIsolated {
          $0.send([[2]])
          $0.closePeer()
        }
      }
    }
    await onLoop(probe) { probe in
      probe.open()
      probe.send([[1]])
      _ = write(writer, "x", 1)
    }
    #expect(await probe.next(3) == [.packet([1]), .packet([2]), .ended])
    #expect(await probe.rest() == [])
    await onLoop(probe) { $0.loop.unwatch(source) }
    close(reader)
    close(writer)
  }

  private func onLoop<Value: Sendable>(
    _ probe: PacketProbe, _ body: @Sendable (isolated PacketProbe) -> Value
  ) async -> Value { await body(probe) }

  @Test("Closing closes the socket and reports nothing")
  func closing() async throws {
    let probe = try PacketProbe()
    await probe.open()
    #expect(await !probe.isPeerAlone(within: .zero))
    await probe.send([[0]])
    #expect(await probe.next(1) == [.packet([0])])
    await probe.close()
    #expect(await probe.isPeerAlone(within: .seconds(60)))
    await probe.close()
    #expect(await probe.rest() == [])
  }
}
