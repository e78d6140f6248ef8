// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The values of a characteristic that a device sends by itself, from the moment the subscription was made.
///
/// They end when the subscription is dropped or the task cancelled, and throw when the link is lost. None is left out
/// silently: where a bound was given and reached, ``Batch/dropped`` counts. One iteration only.
public struct Notifications: AsyncSequence, Sendable {
  /// What the device sent.
  public typealias Element = Notification
  /// Why notifications end: `disconnected`, `notFound`, `serviceUnavailable` and so on.
  public typealias Failure = BLEError

  /// What is taken at once.
  public struct Batch: Sendable {
    /// The values in the order of their arrival.
    public let notifications: [Notification]
    /// How many were lost since the batch before, because more waited than the bound allows.
    public let dropped: Int
  }

  let subscription: NotifySubscription
  let loop: EventLoop
  /// The way that the values take.
  public let path: NotificationPath

  /// When it became known that no more can come; nil before, and when nothing but the reader has ended them.
  package var end: Moment? { subscription.ending.withLock { $0?.moment } }

  /// All values that wait, at least one: cheaper than one by one.
  ///
  /// Nil when the task was cancelled.
  ///
  /// - Returns: the values, or nil.
  /// - Throws: ``BLEError`` when no more can come, after the last value was taken.
  public func nextBatch() async throws(BLEError) -> Batch? {
    if let batch = await subscription.channel.next() {
      return Batch(notifications: batch.elements, dropped: batch.dropped)
    }
    if let ending = subscription.ending.withLock({ $0 }) { throw ending.error }
    return nil
  }

  /// Makes the iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(notifications: self) }

  /// Hands out one value after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let notifications: Notifications
    var batch: [Notification] = []
    var position = 0

    init(notifications: Notifications) { self.notifications = notifications }

    /// The next value; nil when the task was cancelled.
    public mutating func next() async throws(BLEError) -> Notification? {
      while position == batch.count {
        guard let next = try await notifications.nextBatch() else { return nil }
        (batch, position) = (next.notifications, 0)
      }
      defer { position += 1 }
      return batch[position]
    }

    /// The next value, no later than a while from now.
    ///
    /// - Parameters:
    ///   - limit: how long to wait; nil is without limit.
    ///   - operation: what the value is wanted for.
    /// - Returns: the value.
    /// - Throws: ``BLEError`` with code `timedOut` or `cancelled`; or why none can come any more.
    package mutating func next(
      within limit: Duration?, operation: String
    ) async throws(BLEError) -> Notification {
      let channel = notifications.subscription.channel
      let deadline = Deadline(after: limit)
      while position == batch.count {
        let timer = deadline.instant.map { notifications.loop.nudge(channel, at: $0) }
        defer { timer?.cancel() }
        guard let next = try await notifications.nextBatch() else {
          throw BLEError(.cancelled, operation: operation, message: "cancelled")
        }
        (batch, position) = (next.notifications, 0)
        if batch.isEmpty, deadline.isOver {
          throw BLEError(.timedOut, operation: operation, message: "nothing came in the time given")
        }
      }
      defer { position += 1 }
      return batch[position]
    }

    /// The next value; nil when the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(BLEError) -> Notification?
    {
      try await next()
    }
  }
}

/// One subscriber: ends its part of the session when nobody holds it any more.
final class NotifySubscription: Sendable {
  /// Unique in its manager for ever; the address of an object may be used again for the next one.
  let number: Int
  let channel: BatchChannel<Notification>
  let ending = Lock<(error: BLEError, moment: Moment)?>(nil)
  private let onRelease: @Sendable () -> Void

  init(number: Int, capacity: Int, onRelease: @escaping @Sendable () -> Void) {
    self.number = number
    channel = BatchChannel(capacity: capacity)
    self.onRelease = onRelease
  }

  deinit { onRelease() }

  func end(_ error: BLEError, at moment: Moment) {
    ending.withLock { $0 = $0 ?? (error, moment) }
    channel.finish()
  }
}
