// SPDX-License-Identifier: MIT

/// A queue from one producer to one consumer that hands over its whole backlog at once.
///
/// Unlike `AsyncStream` it costs one wake-up a burst, not one an element, and its bound is visible: what does not fit
/// is counted, never forgotten. Inlinable, as ``Lock`` is.
public final class BatchChannel<Element: Sendable>: Sendable {
  /// What the consumer takes.
  public struct Batch: Sendable {
    /// In the order of their coming.
    public var elements: [Element]
    /// How many elements were lost, for want of room, since the batch before.
    public var dropped: Int

    @inlinable init(elements: [Element], dropped: Int) {
      self.elements = elements
      self.dropped = dropped
    }
  }

  @usableFromInline struct State {
    @usableFromInline var backlog: [Element] = []
    @usableFromInline var dropped = 0
    @usableFromInline var isFinished = false
    @usableFromInline var isNudged = false
    /// Whether the producer has said that it will wake the consumer.
    @usableFromInline var isWakeDue = false
    @usableFromInline var waiter: UnsafeContinuation<Void, Never>?

    @inlinable init() {}
  }

  @usableFromInline let state = Lock(State())
  @usableFromInline let capacity: Int

  /// - Parameter capacity: how many elements may wait for the consumer.
  @inlinable public init(capacity: Int = .max) { self.capacity = capacity }

  /// Adds an element; counts it as dropped when the channel is full, ignores it when it is finished.
  @inlinable public func send(_ element: Element) {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard !state.isFinished else { return nil }
      if state.backlog.count < capacity { state.backlog.append(element) } else { state.dropped += 1 }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Adds an element as ``send(_:)`` does, but leaves the consumer asleep: for a producer that has more.
  ///
  /// - Returns: whether ``wake()`` must be called once the producer has nothing more; true once a wake-up.
  @inlinable public func append(_ element: Element) -> Bool { append(contentsOf: CollectionOfOne(element)) }

  /// Adds elements as ``append(_:)`` does.
  @inlinable public func append(contentsOf elements: some Collection<Element>) -> Bool {
    state.withLock { state in
      guard !state.isFinished else { return false }
      let room = capacity - state.backlog.count
      state.backlog.append(contentsOf: elements.prefix(room))
      state.dropped += max(0, elements.count - room)
      guard !state.isWakeDue else { return false }
      state.isWakeDue = true
      return true
    }
  }

  /// Lets the consumer that waits take what was appended.
  @inlinable public func wake() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isWakeDue = false
      return state.backlog.isEmpty && state.dropped == 0 ? nil : state.waiter.take()
    }
    waiter?.resume()
  }

  /// Adds an element; on the loop's thread the consumer is woken once for all that comes in the same turn of it.
  @inlinable public func send(_ element: Element, inTurnOf loop: EventLoop) {
    send(contentsOf: CollectionOfOne(element), inTurnOf: loop)
  }

  /// Adds elements as ``send(_:inTurnOf:)`` does.
  @inlinable public func send(contentsOf elements: some Collection<Element>, inTurnOf loop: EventLoop) {
    guard append(contentsOf: elements) else { return }
    if loop.isCurrent { loop.atEndOfTurn { [self] in wake() } } else { wake() }
  }

  /// Forgets the elements that wait, and how many were lost before them.
  @inlinable public func discardBacklog() {
    state.withLock { state in (state.backlog, state.dropped) = ([], 0) }
  }

  /// Says that nothing more comes.
  ///
  /// What waits can still be taken.
  @inlinable public func finish() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isFinished = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Lets the consumer that waits, or comes next, go on with an empty batch: its time is over.
  @inlinable public func nudge() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isNudged = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Everything that waits, as soon as there is something; nil when the channel is finished and empty,
  /// or the task is cancelled.
  @inlinable public func next() async -> Batch? {
    await withTaskCancellationHandler {
      while true {
        var batch = Batch(elements: [], dropped: 0)
        let (isFinished, isNudged) = state.withLock { state in
          swap(&state.backlog, &batch.elements)
          swap(&state.dropped, &batch.dropped)
          defer { state.isNudged = false }
          return (state.isFinished, state.isNudged)
        }
        if !batch.elements.isEmpty || batch.dropped > 0 { return batch }
        if isFinished || Task.isCancelled { return nil }
        if isNudged { return batch }
        await withUnsafeContinuation { continuation in
          let isReady = state.withLock { state in
            if !state.backlog.isEmpty || state.isFinished || state.isNudged || state.dropped > 0 {
              return true
            }
            state.waiter = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      }
    } onCancel: {
      finish()
    }
  }
}
