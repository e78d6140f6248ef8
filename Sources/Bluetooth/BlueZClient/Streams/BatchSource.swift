// SPDX-License-Identifier: MIT
public import AsyncIO

/// The manager's end of a ``BatchedSequence``.
///
/// Inlinable, to be specialized where it is used; otherwise a single value costs 11,000 more instructions.
@usableFromInline package final class BatchSource<Element: Sendable>: Sendable {
  @usableFromInline package let channel: BatchChannel<Element>
  @usableFromInline package let loop: EventLoop
  private let state = Lock<SequenceEnd?>(nil)
  private let isRead = Lock(false)
  @usableFromInline let gap: (@Sendable (Int) -> Element)?

  /// `gap` makes the element that represents lost ones; nil if only their number is reported.
  package init(capacity: Int = .max, loop: EventLoop, gap: (@Sendable (Int) -> Element)? = nil) {
    channel = BatchChannel(capacity: capacity)
    self.loop = loop
    self.gap = gap
  }

  /// The reason and the time of the end of the elements; nil while more can come.
  package var ending: (error: BLEError, moment: Moment)? {
    state.withLock { $0 }.map { ($0.error, $0.moment) }
  }

  /// True if no more elements can come.
  package var isOver: Bool { state.withLock { $0 } != nil }

  @usableFromInline var error: BLEError? { ending?.error }

  /// Makes the caller the reader while it holds the lease.
  ///
  /// - Throws: ``BLEError`` with code `busy` if there is another reader, which would lose elements to this one.
  @usableFromInline func beginReading() throws(BLEError) -> Lease {
    guard !isRead.exchange(true) else {
      throw BLEError(.busy, during: .continue, "another iterator reads this sequence")
    }
    return Lease { [self] in isRead.exchange(false) }
  }

  @inlinable package func send(_ element: Element) { channel.send(element, inTurnOf: loop) }

  @inlinable package func send(contentsOf elements: some Collection<Element>) {
    channel.send(contentsOf: elements, inTurnOf: loop)
  }

  /// Ends the sequence after the elements that were sent; only the first end counts.
  package func end(_ error: BLEError, at moment: Moment = Moment()) {
    state.withLock { $0 = $0 ?? SequenceEnd(error, moment) }
    channel.finish()
  }

  /// Returns all waiting elements, or an empty batch after a nudge of the channel; nil when no more can come, or the
  /// task is cancelled.
  @inlinable package func next() async -> BatchedSequence<Element>.Batch? {
    guard let (elements, dropped) = await channel.next() else { return nil }
    return batch(elements, dropped)
  }

  /// Takes the waiting elements without waiting.
  @inlinable func takeWaiting() -> BatchedSequence<Element>.Batch {
    let (elements, dropped) = channel.takeWaiting()
    return batch(elements, dropped)
  }

  @inlinable func batch(_ elements: [Element], _ dropped: Int) -> BatchedSequence<Element>.Batch {
    let lost = dropped > 0 ? gap.map { [$0(dropped)] } ?? [] : []
    return BatchedSequence.Batch(elements: lost.isEmpty ? elements : elements + lost, dropped: dropped)
  }
}

/// The reason and the time of the end of a sequence.
///
/// It is a class because each element asks for it, and copying an error takes long.
private final class SequenceEnd: Sendable {
  let error: BLEError
  let moment: Moment

  init(_ error: BLEError, _ moment: Moment) { (self.error, self.moment) = (error, moment) }
}

/// Runs an action when its last reference is dropped.
@usableFromInline package final class Lease: Sendable {
  private let onEnd: @Sendable () -> Void

  package init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  /// Makes a lease, on the loop's thread, whose end runs `onEnd` there.
  package convenience init(on loop: EventLoop, onEnd: @escaping () -> Void) {
    let ended = loop.confined(onEnd)
    self.init { loop.submit(ended) }
  }

  @usableFromInline deinit { onEnd() }
}
