// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Testing

@testable internal import BlectlSerial

@Suite("Packets of a serial port", .timeLimit(.minutes(1)))
struct SerialPacketsTests {
  private let queue = ByteQueue(limit: 100)

  @Test("While packets are on their way only full ones follow, and the rest when all have arrived")
  func full() async {
    let packets = SerialPackets(of: 4, from: queue, permittedBy: nil)
    queue.add([1])
    #expect(packets.next(10) == [[1]])
    queue.add([2, 3, 4])
    #expect(packets.next(10) == [])
    queue.add([5, 6])
    #expect(packets.next(10) == [[2, 3, 4, 5]])
    #expect(packets.onTheWay == 5)
    let rest = Task { await packets.waitForNext() }
    #expect(packets.arrived(1) == 1)
    queue.remove(1)
    #expect(packets.arrived(2) == 4)
    queue.remove(4)
    await rest.value
    #expect(packets.next(10) == [[6]])
    #expect(packets.onTheWay == 1)
  }

  @Test("The end of the input waits for nothing")
  func end() async {
    let packets = SerialPackets(of: 4, from: queue, permittedBy: nil)
    queue.add([1, 2, 3, 4, 5])
    #expect(packets.next(1) == [[1, 2, 3, 4]])
    #expect(packets.next(1) == [])
    queue.end()
    await packets.waitForNext()
    #expect(packets.next(1) == [[5]])
    #expect(packets.next(1) == nil)
  }

  @Test("Each packet takes a credit, and the end none")
  func credits() async throws {
    let credits = SerialCredits(try #require(SerialService.all.first { $0.name.hasPrefix("Telit") }?.credits))
    let packets = SerialPackets(of: 2, from: queue, permittedBy: credits)
    queue.add([1, 2, 3, 4])
    #expect(packets.next(10) == [])
    let waiting = Task { await packets.waitForNext() }
    #expect(credits.received([1]))
    await waiting.value
    #expect(packets.next(10) == [[1, 2]])
    #expect(packets.next(10) == [])
    #expect(credits.received([5]))
    #expect(packets.next(10) == [[3, 4]])
    queue.end()
    credits.spend(4)
    #expect(packets.next(10) == nil)
  }
}
