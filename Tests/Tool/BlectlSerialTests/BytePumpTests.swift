// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Testing

@testable internal import BlectlSerial

/// A peer that keeps what is sent to it, and takes packets of four bytes.
private final class FakePeer: SerialPeer {
  /// What was sent.
  let sent = Lock<[UInt8]>([])
  /// How many sends succeed before the link is lost; nil for all.
  private let successes: Lock<Int?>
  private let uncertain: Int
  /// What the peer sends.
  private let packets: [[UInt8]]
  /// Fulfilled when the peer has sent everything.
  let delivered = Promise<Void>()
  let canWait: Bool

  init(
    packets: [[UInt8]] = [], losesAfter successes: Int? = nil, uncertain: Int = 0, canWait: Bool = false
  ) {
    (self.packets, self.successes, self.uncertain) = (packets, Lock(successes), uncertain)
    self.canWait = canWait
  }

  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws {
    await deliver(packets)
    delivered.fulfil(())
    await Promise<Void>().value(ifCancelled: ())
  }

  func send(from queue: ByteQueue, _ report: @escaping @Sendable (SerialDelivery) -> Void) async throws {
    while await queue.waitForBytes(), let bytes = queue.bytes(4) {
      let isLost = successes.withLock { left in
        if left == 0 { return true }
        left = left.map { $0 - 1 }
        return false
      }
      if isLost {
        report(SerialDelivery(uncertain: min(uncertain, bytes.count)))
        throw CentralLeft()
      }
      sent.withLock { $0 += bytes }
      report(SerialDelivery(arrived: bytes.count))
    }
  }
}

@Suite("Pump of bytes", .timeLimit(.minutes(1)))
struct BytePumpTests {
  private let loop = EventLoop(name: "pump")
  private let reports = Lock<[String]>([])

  private func pump(limit: Int = 100) -> BytePump {
    BytePump(limit: limit) { [reports] text in reports.withLock { $0.append(text) } }
  }

  @Test("Everything before the end of the input is sent, in parts that the peer takes")
  func sending() async throws {
    let (pump, peer) = (pump(), FakePeer())
    pump.outbound.add(Array(0..<10))
    pump.outbound.end()
    try await pump.run(over: peer, quiet: .zero, on: loop)
    #expect(peer.sent.withLock { $0 } == Array(0..<10))
    #expect(pump.counts == SerialCounts(sent: 10))
  }

  @Test("A lost link keeps what was not sent for the next one, and counts what may have arrived")
  func loss() async throws {
    let pump = pump()
    pump.outbound.add(Array(0..<12))
    pump.outbound.end()
    let first = FakePeer(losesAfter: 1, uncertain: 4)
    await #expect(throws: (any Error).self) { try await pump.run(over: first, quiet: .zero, on: loop) }
    #expect(!pump.isLinked)
    // The summary at the end need not say it again.
    #expect(pump.hasSaidUncertain)
    let second = FakePeer()
    try await pump.run(over: second, quiet: .zero, on: loop)
    #expect(first.sent.withLock { $0 } == [0, 1, 2, 3])
    #expect(second.sent.withLock { $0 } == [8, 9, 10, 11])
    #expect(pump.counts == SerialCounts(sent: 8, uncertain: 4))
    #expect(!pump.hasSaidUncertain)
    #expect(reports.withLock { $0 } == ["the central left: 4 bytes may not have arrived"])
  }

  @Test("What nobody reads is dropped in whole packets, counted and said")
  func overflow() async throws {
    let pump = pump(limit: 4)
    let peer = FakePeer(packets: [[1, 2, 3], [4, 5], [6], [7]])
    pump.outbound.end()
    try await pump.run(over: peer, quiet: .zero, on: loop)
    await peer.delivered.value
    #expect(await pump.inbound.next(10) == [1, 2, 3, 6])
    #expect(pump.counts == SerialCounts(received: 7, dropped: 3))
    #expect(
      reports.withLock { $0 } == [
        "what is received is not read fast enough: bytes are dropped", "2 bytes were dropped",
        "what is received is not read fast enough: bytes are dropped",
      ])
  }

  @Test("A peer that can wait is held up instead, and loses nothing")
  func heldUp() async throws {
    let pump = pump(limit: 4)
    let peer = FakePeer(packets: [[1, 2, 3], [4, 5], [6], [7]], canWait: true)
    let running = Task { [loop] in try await pump.run(over: peer, quiet: nil, on: loop) }
    var received: [UInt8] = []
    while received.count < 7, let bytes = await pump.inbound.next(2) { received += bytes }
    await peer.delivered.value
    running.cancel()
    _ = await running.result
    #expect(received == [1, 2, 3, 4, 5, 6, 7])
    #expect(pump.counts == SerialCounts(received: 7))
    #expect(reports.withLock { $0 } == [])
  }

  @Test("Bytes that come without a link, and are not to wait, are counted; it is said once for each loss")
  func refused() async throws {
    let pump = pump()
    pump.refuse(2)
    pump.refuse(3)
    pump.outbound.end()
    try await pump.run(over: FakePeer(), quiet: .zero, on: loop)
    pump.refuse(1)
    #expect(pump.counts == SerialCounts(refused: 6))
    #expect(reports.withLock { $0.count } == 2)
  }
}

/// A near end in memory.
private final class FakePort: SerialPort {
  let input = ByteQueue(limit: .max)
  let written = Lock<[UInt8]>([])
  let hasEnded = Lock(false)
  let begins = Lock(0)
  let endsWithInput: Bool
  /// Whether no reader takes anything.
  private let isStuck: Bool
  let endTime: Duration?
  /// How much the kernel has for a reader, at each look; at the end, it takes nothing more.
  private let held: Lock<[Int]>
  var heldCount: Int { held.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 0 } }
  var looksLeft: Int { held.withLock { $0.count - 1 } }

  init(
    _ bytes: [UInt8], endsWithInput: Bool = false, isStuck: Bool = false, endTime: Duration? = nil,
    held: [Int] = []
  ) {
    self.held = Lock(held)
    (self.endsWithInput, self.isStuck, self.endTime) = (endsWithInput, isStuck, endTime)
    input.add(bytes)
    input.end()
  }

  func read(_ most: Int) async throws -> [UInt8]? { await input.next(most) }
  func write(_ bytes: ArraySlice<UInt8>) async throws -> Int {
    if isStuck {
      await Promise<Void>().value(ifCancelled: ())
      throw CancellationError()
    }
    written.withLock { $0 += bytes }
    return bytes.count
  }
  func begin() { begins.withLock { $0 += 1 } }
  func end() { hasEnded.exchange(true) }
}

@Suite("Exchange with a near end", .timeLimit(.minutes(1)))
struct PortExchangeTests {
  private struct Lost: Error {}
  private let loop = EventLoop(name: "exchange")

  @Test("The input goes to the peer, and what it sends is written before the end")
  func both() async throws {
    let (port, pump) = (FakePort([1, 2, 3]), BytePump(limit: 100) { _ in })
    let peer = FakePeer(packets: [[4], [5, 6]])
    try await PortExchange(port, pump, drops: false).run(on: loop) { [loop] in
      try await pump.run(over: peer, quiet: .zero, on: loop)
    }
    #expect(peer.sent.withLock { $0 } == [1, 2, 3])
    #expect(port.written.withLock { $0 } == [4, 5, 6])
    #expect(port.hasEnded.withLock { $0 })
  }

  @Test("What was received is written even if the link is lost for good")
  func loss() async throws {
    let (port, pump) = (FakePort([]), BytePump(limit: 100) { _ in })
    await #expect(throws: Lost.self) {
      try await PortExchange(port, pump, drops: false).run(on: loop) {
        pump.inbound.add([1, 2])
        throw Lost()
      }
    }
    #expect(port.written.withLock { $0 } == [1, 2])
    #expect(port.hasEnded.withLock { $0 })
  }

  @Test("What is written without a link is dropped where that is wanted")
  func drops() async throws {
    let (port, pump) = (FakePort([1, 2, 3]), BytePump(limit: 100) { _ in })
    try await PortExchange(port, pump, drops: true).run(on: loop) {
      // The end of the input, which is after its bytes.
      #expect(await !pump.outbound.waitForBytes())
    }
    #expect(pump.counts == SerialCounts(refused: 3))
  }

  @Test("The end does not wait for programs that are not there, and counts what is left")
  func absence() async throws {
    let (port, pump) = (FakePort([], isStuck: true, endTime: .zero), BytePump(limit: 100) { _ in })
    let exchange = PortExchange(port, pump, drops: false)
    await #expect(throws: Lost.self) {
      try await exchange.run(on: loop) {
        pump.inbound.add([1, 2])
        pump.outbound.add([3, 4, 5])
        throw Lost()
      }
    }
    #expect(exchange.remaining == (3, 2))
  }

  @Test("The end waits for a reader whose kernel gives it something each time, until it takes nothing more")
  func slowReader() async throws {
    let port = FakePort([], isStuck: true, endTime: .milliseconds(150), held: [60, 50, 40, 45, 30, 20])
    let pump = BytePump(limit: 100) { _ in }
    let exchange = PortExchange(port, pump, drops: false)
    try await exchange.run(on: loop) { pump.inbound.add([1, 2]) }
    #expect(port.looksLeft == 0)
    #expect(exchange.remaining == (0, 2))
  }

  @Test("The near end begins with the first link, and goes on with the next ones")
  func beginning() async throws {
    let (port, pump) = (FakePort([]), BytePump(limit: 100) { _ in })
    let exchange = PortExchange(port, pump, drops: false)
    try await exchange.run(on: loop) { for _ in 1...3 { exchange.begin() } }
    #expect(port.begins.withLock { $0 } == 1)
  }

  @Test("A person who goes need not wait for a link")
  func going() async throws {
    let (port, pump) = (FakePort([], endsWithInput: true), BytePump(limit: 100) { _ in })
    try await PortExchange(port, pump, drops: false).run(on: loop) {
      await Promise<Void>().value(ifCancelled: ())
    }
    #expect(port.hasEnded.withLock { $0 })
  }
}
