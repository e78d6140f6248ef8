// SPDX-License-Identifier: MIT
package import AsyncIO
internal import BlueZClient

/// Moves bytes between the two queues of a serial port and its peer, over one link after another.
package final class BytePump: Sendable {
  /// The maximum number of bytes that wait for the peer while there is a link: enough to fill it, few enough
  /// to hold the writer to its speed.
  private static let linkLimit = 32 << 10

  /// The bytes that wait for the peer.
  package let outbound: ByteQueue
  /// The bytes that wait for the program at the near end.
  package let inbound: ByteQueue
  private let limit: Int
  private let format: @Sendable ([UInt8]) -> [UInt8]
  private let report: @Sendable (String) -> Void
  private let state: Lock<State>

  private struct State {
    var counts = SerialCounts()
    var lastArrival: ContinuousClock.Instant?
    var isLinked = false
    /// True if bytes were refused since the last link.
    var isRefusing = false
    /// The number of bytes dropped since the last one that was taken.
    var dropping = 0
    /// The number of bytes that were reported as uncertain when the last link ended.
    var saidUncertain = 0
  }

  /// - Parameters:
  ///   - limit: how many bytes may wait in each direction.
  ///   - format: makes what the program gets of a packet.
  ///   - report: is told what is lost.
  package init(
    limit: Int, format: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 },
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.limit, self.format, self.report) = (limit, format, report)
    outbound = ByteQueue(limit: limit)
    inbound = ByteQueue(limit: limit)
    state = Lock(State())
  }

  package var counts: SerialCounts { state.withLock { $0.counts } }
  package var isLinked: Bool { state.withLock { $0.isLinked } }
  /// True if the end of the last link has just said of all bytes that may not have arrived.
  package var hasSaidUncertain: Bool { state.withLock { $0.saidUncertain == $0.counts.uncertain } }

  /// Counts bytes that were written without a link, and do not wait.
  package func refuse(_ count: Int) {
    let isNews = state.withLock { state in
      state.counts.refused += count
      defer { state.isRefusing = true }
      return !state.isRefusing
    }
    if isNews { report("there is no link: what is written is dropped") }
  }

  // MARK: A link

  /// Moves bytes over a link, until it ends, or all bytes before the end of the outbound queue are sent, and then
  /// nothing was received for some time; nil goes on.
  ///
  /// - Throws: why the link has ended.
  package func run(over peer: some SerialPeer, quiet: Duration?, on loop: EventLoop) async throws {
    state.withLock { ($0.isLinked, $0.isRefusing, $0.saidUncertain) = (true, false, 0) }
    outbound.setLimit(min(limit, BytePump.linkLimit))
    defer {
      outbound.setLimit(limit)
      state.withLock { $0.isLinked = false }
    }
    let uncertain = Lock(0)
    do {
      try await move(over: peer, quiet, uncertain, on: loop)
    } catch {
      // The near end has ended, and counts what is left itself.
      if !Task.isCancelled { report(uncertain: uncertain.withLock { $0 }, after: error) }
      throw error
    }
  }

  private func move(
    over peer: some SerialPeer, _ quiet: Duration?, _ uncertain: Lock<Int>, on loop: EventLoop
  ) async throws {
    try await loop.race(
      {
        try await self.send(to: peer, uncertain)
        try await self.waitUntilQuiet(quiet, peer, on: loop)
      },
      {
        try await peer.receive { packets in
          for packet in packets {
            if peer.canWait { await self.takeWhenPossible(packet) } else { self.take(packet) }
          }
        }
      })
  }

  /// Says what may have been lost with a link.
  private func report(uncertain: Int, after error: any Error) {
    guard uncertain > 0 else { return }
    let reason =
      switch error {
      case is CentralLeft: "the central left: "
      case let error as BLEError where error.code == .disconnected: "the link was lost: "
      default: ""
      }
    state.withLock { $0.saidUncertain = uncertain }
    report("\(reason)\(uncertain.bytes) may not have arrived")
  }

  private func send(to peer: some SerialPeer, _ uncertain: Lock<Int>) async throws {
    try await peer.send(from: outbound) { [self] bytes in
      outbound.remove(bytes.arrived + bytes.uncertain)
      state.withLock { state in
        state.counts.sent += bytes.arrived
        state.counts.uncertain += bytes.uncertain
      }
      uncertain.withLock { $0 += bytes.uncertain }
    }
    try Task.checkCancellation()
  }

  private func waitUntilQuiet(
    _ quiet: Duration?, _ peer: some SerialPeer, on loop: EventLoop
  ) async throws {
    guard let quiet else { return await Promise<Void>().value(ifCancelled: ()) }
    let start = LoopClock.now
    while true {
      let last = lastArrival
      let idle = LoopClock.now - max(last ?? start, start)
      if idle < quiet {
        try await loop.sleep(for: quiet - idle)
        continue
      }
      // Who waits for nothing wants no proof either.
      if quiet > .zero { try await peer.confirm() }
      if lastArrival == last { return }
    }
  }

  private var lastArrival: ContinuousClock.Instant? { state.withLock { $0.lastArrival } }

  /// Holds the peer up until there is room.
  private func takeWhenPossible(_ packet: [UInt8]) async {
    guard await inbound.waitForRoom() else { return }
    inbound.add(format(packet))
    state.withLock { state in
      state.counts.received += packet.count
      state.lastArrival = LoopClock.now
    }
  }

  private func take(_ packet: [UInt8]) {
    let isTaken = inbound.offer(format(packet))
    let before = state.withLock { state in
      state.counts.received += packet.count
      state.lastArrival = LoopClock.now
      defer { state.dropping = isTaken ? 0 : state.dropping + packet.count }
      if !isTaken { state.counts.dropped += packet.count }
      return state.dropping
    }
    if !isTaken, before == 0 { report("what is received is not read fast enough: bytes are dropped") }
    if isTaken, before > 0 { report("\(before.bytes) were dropped") }
  }
}

extension Int {
  /// `1 byte`, `20 bytes`.
  package var bytes: String { self == 1 ? "1 byte" : "\(self) bytes" }
}

/// The bytes of a serial port since the start, and what was lost.
package struct SerialCounts: Sendable, Hashable {
  /// Those that have certainly arrived at the peer.
  package var sent = 0
  package var received = 0
  /// Those that were on their way when a link was lost.
  package var uncertain = 0
  /// Received ones that nobody took in time.
  package var dropped = 0
  /// Written ones that came without a link, and were not to wait.
  package var refused = 0
}
