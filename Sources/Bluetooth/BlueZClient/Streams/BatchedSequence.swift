// SPDX-License-Identifier: MIT
public import AsyncIO

/// Elements that a manager delivers as they arrive: the events of a scan, notifications, the events of BlueZ.
///
/// Elements arrive in batches; reading whole batches is cheaper than reading one by one. In a cancelled task, the
/// iteration ends without an error after the elements that have arrived. When no more elements can come, it throws after
/// the last one.
///
/// Each element goes to one iterator. While an iterator reads, another one throws ``BLEError`` with code `busy`. Two tasks
/// that wait for one iterator are a programming error, which ends the program.
public struct BatchedSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// The error that ends the elements early.
  public typealias Failure = BLEError

  /// The elements that waited for the reader.
  public struct Batch: Sendable {
    /// The elements, oldest first; empty only when the deadline of `nextBatch(until:)` has passed.
    public let elements: [Element]
    /// The number of elements lost since the previous batch because the capacity was exceeded.
    public let dropped: Int

    @inlinable init(elements: [Element], dropped: Int) {
      self.elements = elements
      self.dropped = dropped
    }

    @inlinable var isEmpty: Bool { elements.isEmpty && dropped == 0 }
  }

  @usableFromInline package let source: BatchSource<Element>
  @usableFromInline let start: @Sendable () async throws(BLEError) -> Lease

  /// `start` starts the source on the first request; the source runs while the lease is held.
  package init(_ source: BatchSource<Element>, start: @escaping @Sendable () async throws(BLEError) -> Lease)
  {
    self.source = source
    self.start = start
  }

  /// The time at which it became known that no more elements can come; nil before, or if only the reader
  /// ended.
  package var end: Moment? { source.ending?.moment }

  /// Makes the iterator.
  @inlinable public func makeAsyncIterator() -> Iterator { Iterator(source, start) }

  /// Reads the elements, one by one or in batches.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let source: BatchSource<Element>
    @usableFromInline let start: @Sendable () async throws(BLEError) -> Lease
    @usableFromInline var lease: Lease?
    /// Keeps other iterators from reading.
    @usableFromInline var reading: Lease?
    /// True if the waiting elements were taken since the task was cancelled.
    @usableFromInline var hasTakenRest = false
    @usableFromInline var elements: [Element] = []
    @usableFromInline var position = 0
    /// Wakes it at the last deadline, or earlier.
    @usableFromInline var alarm: ChannelAlarm?

    @inlinable init(
      _ source: BatchSource<Element>, _ start: @escaping @Sendable () async throws(BLEError) -> Lease
    ) {
      self.source = source
      self.start = start
    }

    /// Returns the next element; nil when the task was cancelled.
    @inlinable public mutating func next() async throws(BLEError) -> Element? {
      while position == elements.count {
        guard let batch = try await nextBatch() else { return nil }
        (elements, position) = (batch.elements, 0)
      }
      defer { position += 1 }
      return elements[position]
    }

    /// Returns the next element; nil when the task was cancelled.
    @inlinable public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(BLEError) -> Element? {
      try await next()
    }

    /// Returns all waiting elements, at least one; cheaper than one by one.
    ///
    /// - Returns: the elements; nil when the task was cancelled.
    /// - Throws: ``BLEError`` when no more elements can come.
    @inlinable public mutating func nextBatch() async throws(BLEError) -> Batch? {
      while let batch = try await nextTurn() {
        if !batch.isEmpty { return batch }
      }
      return nil
    }

    /// Returns all waiting elements, or an empty batch at the time of the alarm.
    @inlinable mutating func nextTurn() async throws(BLEError) -> Batch? {
      if position < elements.count {
        defer { position = elements.count }
        return Batch(elements: Array(elements[position...]), dropped: 0)
      }
      // Elements that were read may refer to the manager, whose release would end the sequence.
      (elements, position) = ([], 0)
      if lease == nil {
        if reading == nil { reading = try source.beginReading() }
        do throws(BLEError) {
          lease = try await start()
        } catch {
          if error.code == .cancelled, Task.isCancelled { return nil }
          throw error
        }
      }
      if let batch = await source.next() {
        hasTakenRest = false
        return batch
      }
      // Once only: a source may send faster than a cancelled reader reads.
      if !hasTakenRest {
        hasTakenRest = true
        let rest = source.takeWaiting()
        if !rest.isEmpty { return rest }
      }
      if let error = source.error { throw error }
      return nil
    }

    /// Returns all waiting elements, or an empty batch at the deadline; nil sets no limit.
    package mutating func nextBatch(
      until deadline: ContinuousClock.Instant?
    ) async throws(BLEError) -> Batch? {
      guard let deadline else { return try await nextBatch() }
      while true {
        // An alarm that is early stays, since deadlines usually move with each batch.
        if alarm.map({ $0.time > deadline || $0.time <= LoopClock.now }) ?? true {
          alarm = ChannelAlarm(deadline, for: source.channel, on: source.loop)
        }
        guard let batch = try await nextTurn() else { return nil }
        if !batch.isEmpty || LoopClock.now >= deadline { return batch }
      }
    }

    /// Returns the next element; throws `timedOut` if none arrives within the limit.
    package mutating func next(
      within limit: Duration?, during action: BLEError.Action
    ) async throws(BLEError) -> Element {
      let deadline = Deadline(after: limit)
      while position == elements.count {
        let batch =
          if let instant = deadline.instant { try await nextBatch(until: instant) } else {
            try await nextBatch()
          }
        guard let batch else { throw .cancelled(action) }
        (elements, position) = (batch.elements, 0)
        if elements.isEmpty, deadline.isOver {
          throw BLEError(.timedOut, during: action, "no value arrived before the timeout")
        }
      }
      defer { position += 1 }
      return elements[position]
    }

    /// Drops the waiting elements.
    package mutating func discardBacklog() {
      (elements, position) = ([], 0)
      source.channel.discardBacklog()
    }
  }
}
