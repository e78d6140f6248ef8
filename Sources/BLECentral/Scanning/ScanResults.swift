// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The way of a scan's events from the manager to whoever iterates.
struct ScanChannel: Sendable {
  let channel = BatchChannel<ScanEvent>()
  let failure = Lock<BLEError?>(nil)
}

/// The events of a scan.
///
/// The scan begins with the first `next()` and ends when the loop is left, or the iterator is dropped. Cancelling the
/// task ends it without an error. One iteration only.
public struct ScanResults: AsyncSequence, Sendable {
  /// What a scan reports.
  public typealias Element = ScanEvent
  /// Why a scan ends early: the adapter was switched off, or the service went away.
  public typealias Failure = BLEError

  let central: CentralManager
  let filter: ScanFilter
  let mode: ScanMode
  let reportsDuplicates: Bool

  /// Makes the iterator; the scan begins when it is first asked.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Hands out the events of a scan.
  public struct Iterator: AsyncIteratorProtocol {
    private let results: ScanResults
    private let way = ScanChannel()
    private var scan: RunningScan?
    private var batch: [ScanEvent] = []
    private var position = 0

    init(_ results: ScanResults) { self.results = results }

    /// The next event; nil when the task was cancelled.
    public mutating func next() async throws(BLEError) -> ScanEvent? {
      if position == batch.count {
        guard let next = try await nextBatch() else { return nil }
        (batch, position) = (next, 0)
      }
      defer { position += 1 }
      return batch[position]
    }

    /// The next event; nil when the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(BLEError) -> ScanEvent? {
      try await next()
    }

    /// All events that wait, at least one, or none when the time is over.
    ///
    /// Nil when the task was cancelled.
    package mutating func nextBatch(
      until deadline: ContinuousClock.Instant
    ) async throws(BLEError) -> [ScanEvent]? {
      let timer = results.central.loop.nudge(way.channel, at: deadline)
      defer { timer.cancel() }
      return try await nextBatch()
    }

    /// All events that wait, at least one: cheaper than one by one.
    ///
    /// Nil when the task was cancelled.
    public mutating func nextBatch() async throws(BLEError) -> [ScanEvent]? {
      if scan == nil {
        scan = try await results.central.beginScan(
          results.filter, mode: results.mode, reportsDuplicates: results.reportsDuplicates, way: way)
      }
      if let elements = await way.channel.next()?.elements { return elements }
      if let error = way.failure.withLock({ $0 }) { throw error }
      return nil
    }
  }
}

/// Keeps a scan going while somebody holds it.
final class RunningScan: Sendable {
  private let number: Int
  private let central: CentralManager

  init(number: Int, central: CentralManager) {
    self.number = number
    self.central = central
  }

  deinit {
    central.loop.submit { [central, number] in central.assumeIsolated { $0.endScan(number) } }
  }
}
