// SPDX-License-Identifier: MIT

/// A queue from one producer to one consumer that hands over its whole backlog at once.
///
/// It lives until its producer finishes it; consumers may follow each other.
///
/// Unlike `AsyncStream`, it costs one wake-up per burst instead of one per element, and counts elements that
/// do not fit. Inlinable for the same reason as ``Lock``.
public final class BatchChannel<Element: Sendable>: Sendable {
  @usableFromInline struct State {
    @usableFromInline var backlog: [Element] = []
    @usableFromInline var dropped = 0
    @usableFromInline var isFinished = false
    @usableFromInline var isNudged = false
    /// True if the producer has promised to wake the consumer.
    @usableFromInline var isWakeDue = false
    @usableFromInline var waiter: UnsafeContinuation<Void, Never>?

    @inlinable init() {}

    /// Adds an element, or counts it as dropped.
    @inlinable mutating func add(_ element: Element, capacity: Int) {
      if backlog.count < capacity { backlog.append(element) } else { dropped += 1 }
    }

    /// True if the producer must wake the consumer, and has not promised it yet.
    @inlinable mutating func promisesWake() -> Bool {
      defer { isWakeDue = true }
      return !isWakeDue
    }
  }

  @usableFromInline let state = Lock(State())
  @usableFromInline let capacity: Int

  /// - Parameter capacity: how many elements may wait for the consumer.
  @inlinable public init(capacity: Int = .max) { self.capacity = capacity }

  /// Adds an element; if the channel is full, counts it as dropped; if it is finished, ignores it.
  @inlinable public func send(_ element: Element) {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard !state.isFinished else { return nil }
      state.add(element, capacity: capacity)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Adds an element like ``send(_:)``, but does not wake the consumer, for a producer with more elements.
  ///
  /// - Returns: whether the producer must call ``wake()`` after its last element; true once per wake-up.
  @inlinable public func append(_ element: Element) -> Bool {
    state.withLock { state in
      guard !state.isFinished else { return false }
      state.add(element, capacity: capacity)
      return state.promisesWake()
    }
  }

  /// Adds elements like ``append(_:)``.
  @inlinable public func append(contentsOf elements: some Collection<Element>) -> Bool {
    state.withLock { state in
      guard !state.isFinished else { return false }
      let room = capacity - state.backlog.count
      state.backlog.append(contentsOf: elements.prefix(room))
      state.dropped += max(0, elements.count - room)
      return state.promisesWake()
    }
  }

  /// Wakes the waiting consumer, which takes the appended elements.
  @inlinable public func wake() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isWakeDue = false
      return state.backlog.isEmpty && state.dropped == 0 ? nil : state.waiter.take()
    }
    waiter?.resume()
  }

  /// Adds an element; on the loop's thread, wakes the consumer once for all elements of the same turn.
  @inlinable public func send(_ element: Element, inTurnOf loop: EventLoop) {
    if append(element) { wake(inTurnOf: loop) }
  }

  /// Adds elements like ``send(_:inTurnOf:)``.
  @inlinable public func send(contentsOf elements: some Collection<Element>, inTurnOf loop: EventLoop) {
    if append(contentsOf: elements) { wake(inTurnOf: loop) }
  }

  @inlinable func wake(inTurnOf loop: EventLoop) {
    if loop.isCurrent { loop.atEndOfTurn { [self] in wake() } } else { wake() }
  }

  /// Discards the waiting elements and the count of dropped ones.
  @inlinable public func discardBacklog() { _ = takeWaiting() }

  /// Finishes the channel: no more elements follow, but the waiting ones can still be taken.
  @inlinable public func finish() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isFinished = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Gives the waiting or next consumer an empty batch: its time has expired.
  @inlinable public func nudge() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isNudged = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Takes the waiting elements, and the count of dropped ones, without waiting.
  @inlinable public func takeWaiting() -> (elements: [Element], dropped: Int) {
    var batch: (elements: [Element], dropped: Int) = ([], 0)
    state.withLock { state in
      swap(&state.backlog, &batch.elements)
      swap(&state.dropped, &batch.dropped)
    }
    return batch
  }

  /// Returns all waiting elements in order, as soon as there are any, and how many were dropped since the
  /// previous call because the channel was full.
  ///
  /// Only one task may wait at a time. Cancellation ends this call only: a cancelled call takes nothing, and
  /// the elements wait for the next one.
  ///
  /// - Returns: nil if the channel is finished and empty, or the task is cancelled.
  @inlinable public func next() async -> (elements: [Element], dropped: Int)? {
    await withTaskCancellationHandler {
      while !Task.isCancelled {
        var batch: (elements: [Element], dropped: Int) = ([], 0)
        let (isFinished, isNudged) = state.withLock { state in
          swap(&state.backlog, &batch.elements)
          swap(&state.dropped, &batch.dropped)
          defer { state.isNudged = false }
          return (state.isFinished, state.isNudged)
        }
        if !batch.elements.isEmpty || batch.dropped > 0 { return batch }
        if isFinished { return nil }
        if isNudged { return batch }
        await withUnsafeContinuation { continuation in
          let isReady = state.withLock { state in
            // A task that is cancelled later finds the waiter: its handler takes the lock, too.
            if !state.backlog.isEmpty || state.isFinished || state.isNudged || state.dropped > 0
              || Task.isCancelled
            {
              return true
            }
            precondition(state.waiter == nil, "two tasks wait for the elements of one channel")
            state.waiter = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      }
      return nil
    } onCancel: {
      let waiter = state.withLock { $0.waiter.take() }
      waiter?.resume()
    }
  }
}

/// Gives the consumer of a channel an empty batch at a given time, unless it is released before.
public final class ChannelAlarm: Sendable {
  /// The time of the empty batch.
  package let time: ContinuousClock.Instant
  private let timer: RemoteTimer

  package init(
    _ time: ContinuousClock.Instant, for channel: BatchChannel<some Sendable>, on loop: EventLoop
  ) {
    self.time = time
    timer = RemoteTimer(loop, at: time) { channel.nudge() }
  }

  deinit { timer.cancel() }
}
