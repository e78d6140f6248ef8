// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import Testing

@testable internal import BlectlSerial

@Suite("Packets of a serial port", .timeLimit(.minutes(1)))
struct SerialPacketsTests {
  private let queue = ByteQueue(limit: 100)
  private let loop = EventLoop.shared

  @Test("While packets are on their way only full ones follow, and the rest when all have arrived")
  func full() async {
    let packets = SerialPackets(of: 4, from: queue, permittedBy: nil, on: loop)
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
    let packets = SerialPackets(of: 4, from: queue, permittedBy: nil, on: loop)
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
    let credits = try telit()
    let packets = SerialPackets(of: 2, from: queue, permittedBy: credits, on: loop)
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

  @Test("The end of the input waits for no credit")
  func endWithoutCredits() async throws {
    let packets = SerialPackets(of: 2, from: queue, permittedBy: try telit(), on: loop)
    let waiting = Task { await packets.waitForNext() }
    queue.end()
    await waiting.value
    #expect(packets.next(10) == nil)
    #expect(!packets.hasStalled)
  }

  @Test("A device that grants no credit in time ends the packets")
  func stalled() async throws {
    let packets = SerialPackets(of: 2, from: queue, permittedBy: try telit(), patience: .zero, on: loop)
    queue.add([1, 2])
    #expect(packets.next(10) == [])
    await Task(executorPreference: loop) { await packets.waitForNext() }.value
    #expect(packets.next(10) == nil)
    #expect(packets.hasStalled)
  }

  private func telit() throws -> SerialCredits {
    SerialCredits(try #require(SerialService.all.first { $0.name.hasPrefix("Telit") }?.credits))
  }
}
