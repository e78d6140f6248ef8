// SPDX-License-Identifier: MIT
package import Glibc
internal import Synchronization

/// The clock of event loops, and of all deadlines that a loop waits for.
///
/// It is the system's monotonic clock plus skipped time. Only tests skip time: if every loop of the process
/// sleeps, and only a timer can wake one, waiting for that timer proves nothing.
package enum LoopClock {
  private static let skippedNanoseconds = Atomic<Int64>(0)
  private static let isObserved = Atomic<Bool>(false)
  private static let currentObserver = Lock<(any LoopObserver)?>(nil)

  package static var now: ContinuousClock.Instant {
    let skipped = skippedNanoseconds.load(ordering: .acquiring)
    return skipped == 0 ? .now : .now + .nanoseconds(skipped)
  }

  /// Moves the time forward for every loop; sleeping loops must be woken to notice it.
  package static func skip(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    skippedNanoseconds.add(seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1, ordering: .releasing)
  }

  static var observer: (any LoopObserver)? {
    isObserved.load(ordering: .acquiring) ? currentObserver.withLock { $0 } : nil
  }

  /// Reports that another thread has work to do, until ``WorkElsewhere/end()``; nil without an observer.
  package static func workElsewhere() -> WorkElsewhere? {
    guard let observer else { return nil }
    observer.workElsewhere(changedBy: 1)
    return WorkElsewhere(observer: observer)
  }

  /// Starts to report when loops sleep and wake; sleeping loops are reported from their next sleep on.
  package static func observe(by observer: any LoopObserver) {
    currentObserver.exchange(observer)
    isObserved.store(true, ordering: .releasing)
  }
}

/// The work of a thread for a loop, such as a block on a Dispatch queue.
package struct WorkElsewhere: Sendable {
  fileprivate let observer: any LoopObserver

  package func end() { observer.workElsewhere(changedBy: -1) }
}

/// Observes when loops sleep and wake, on their threads.
package protocol LoopObserver: Sendable {
  /// The loop has nothing to do until `deadline`, or until one of `descriptors` is ready.
  func willSleep(_ loop: EventLoop, until deadline: ContinuousClock.Instant?, watching descriptors: [pollfd])
  func didWake(_ loop: EventLoop)
  /// Work of other threads for loops began (1), or ended (-1): no time may be skipped meanwhile.
  func workElsewhere(changedBy count: Int)
}
