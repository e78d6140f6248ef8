// SPDX-License-Identifier: MIT
public import AsyncIO

/// The manager's end of a ``BatchedSequence``.
///
/// Inlinable, so that it is specialized for its elements where it is used: without that, a value that comes alone costs
/// 11,000 more instructions.
@usableFromInline package final class BatchSource<Element: Sendable>: Sendable {
  @usableFromInline package let channel: BatchChannel<Element>
  @usableFromInline package let loop: EventLoop
  private let state = Lock<(error: BLEError, moment: Moment)?>(nil)
  @usableFromInline let gap: (@Sendable (Int) -> Element)?

  /// - Parameters:
  ///   - capacity: how many elements may wait for the reader.
  ///   - loop: the loop that elements are sent on.
  ///   - gap: makes the element that stands for lost ones; nil where only their number is reported.
  package init(capacity: Int = .max, loop: EventLoop, gap: (@Sendable (Int) -> Element)? = nil) {
    channel = BatchChannel(capacity: capacity)
    self.loop = loop
    self.gap = gap
  }

  /// Why and since when no more elements can come; nil while they can.
  package var ending: (error: BLEError, moment: Moment)? { state.withLock { $0 } }

  /// Why no more elements can come; nil while they can.
  @usableFromInline var error: BLEError? { ending?.error }

  @inlinable package func send(_ element: Element) { channel.send(element, inTurnOf: loop) }

  @inlinable package func send(contentsOf elements: some Collection<Element>) {
    channel.send(contentsOf: elements, inTurnOf: loop)
  }

  /// Ends the sequence behind the elements that were sent; only the first end counts.
  package func end(_ error: BLEError, at moment: Moment = Moment()) {
    state.withLock { $0 = $0 ?? (error, moment) }
    channel.finish()
  }

  /// All elements that wait, at least one; nil when no more can come, or the task is cancelled.
  @inlinable package func next() async -> BatchedSequence<Element>.Batch? {
    guard let (elements, dropped) = await channel.next() else { return nil }
    let lost = dropped > 0 ? gap.map { [$0(dropped)] } ?? [] : []
    return BatchedSequence.Batch(elements: lost.isEmpty ? elements : elements + lost, dropped: dropped)
  }
}

/// Runs an action when nobody holds it any more.
@usableFromInline package final class Lease: Sendable {
  private let onEnd: @Sendable () -> Void

  package init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  @usableFromInline deinit { onEnd() }
}
