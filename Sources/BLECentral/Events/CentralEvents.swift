// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Everything that happens in BlueZ from the call of ``CentralManager/events(capacity:)`` on.
///
/// bluetoothd may end and come back meanwhile: that is told, and the events go on. They end when they are dropped or the
/// task is cancelled, and throw when the bus is lost. One iteration only.
public struct CentralEvents: AsyncSequence, Sendable {
  /// What happened.
  public typealias Element = CentralEvent
  /// Why no more can come: `busUnavailable`.
  public typealias Failure = BLEError

  let watch: EventWatch

  /// All events that wait, at least one: cheaper than one by one.
  ///
  /// - Returns: the events; nil when the task was cancelled.
  /// - Throws: ``BLEError`` with code `busUnavailable`, after the last event was taken.
  public func nextBatch() async throws(BLEError) -> [CentralEvent]? {
    if let batch = await watch.channel.next() {
      guard batch.dropped > 0 else { return batch.elements }
      return batch.elements + [CentralEvent(kind: .missed(batch.dropped), time: .now)]
    }
    if let error = watch.failure.withLock({ $0 }) { throw error }
    return nil
  }

  /// Makes the iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(events: self) }

  /// Hands out one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let events: CentralEvents
    private var batch: [CentralEvent] = []
    private var position = 0

    init(events: CentralEvents) { self.events = events }

    /// The next event; nil when the task was cancelled.
    public mutating func next() async throws(BLEError) -> CentralEvent? {
      while position == batch.count {
        guard let next = try await events.nextBatch() else { return nil }
        (batch, position) = (next, 0)
      }
      defer { position += 1 }
      return batch[position]
    }

    /// The next event; nil when the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(BLEError) -> CentralEvent?
    {
      try await next()
    }
  }
}

/// One reader of events, known to the manager for as long as somebody holds it.
final class EventWatch: Sendable {
  let channel: BatchChannel<CentralEvent>
  let failure = Lock<BLEError?>(nil)
  private let onEnd: @Sendable () -> Void

  init(channel: BatchChannel<CentralEvent>, onEnd: @escaping @Sendable () -> Void) {
    self.channel = channel
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// Ends the events, for want of a bus.
  func fail(_ error: BLEError) {
    failure.withLock { $0 = $0 ?? error }
    channel.finish()
  }
}

/// The manager's side of it, which does not keep the reader alive.
struct EventWatcher {
  weak var watch: EventWatch?
}
