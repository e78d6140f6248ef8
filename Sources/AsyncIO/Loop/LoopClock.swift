// SPDX-License-Identifier: MIT
package import Glibc
internal import Synchronization

/// The clock of event loops, and of all deadlines that a loop waits for.
///
/// It is the system's monotonic clock plus the time that was skipped. Only tests skip time: if every loop of the process
/// sleeps, and only a timer can wake one, waiting for that timer proves nothing.
package enum LoopClock {
  private static let skippedNanoseconds = Atomic<Int64>(0)
  private static let isObserved = Atomic<Bool>(false)
  private static let currentObserver = Lock<(any LoopObserver)?>(nil)

  /// The current time.
  package static var now: ContinuousClock.Instant {
    let skipped = skippedNanoseconds.load(ordering: .acquiring)
    return skipped == 0 ? .now : .now + .nanoseconds(skipped)
  }

  /// Moves the time forward for every loop; sleeping loops must be woken to notice it.
  package static func skip(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    skippedNanoseconds.add(seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1, ordering: .releasing)
  }

  /// The observer of sleeping loops.
  static var observer: (any LoopObserver)? {
    isObserved.load(ordering: .acquiring) ? currentObserver.withLock { $0 } : nil
  }

  /// Notes that another thread has got work to do; nil when nobody observes.
  ///
  /// - Returns: what to end when the work is done.
  package static func workElsewhere() -> WorkElsewhere? {
    guard let observer else { return nil }
    observer.workElsewhere(changedBy: 1)
    return WorkElsewhere(observer: observer)
  }

  /// Starts to report when loops sleep and wake; loops that already sleep are reported from their next sleep on.
  package static func observe(by observer: any LoopObserver) {
    currentObserver.exchange(observer)
    isObserved.store(true, ordering: .releasing)
  }
}

/// Work that a thread does for a loop, such as a block on a queue of Dispatch.
package struct WorkElsewhere: Sendable {
  fileprivate let observer: any LoopObserver

  /// The work is done.
  package func end() { observer.workElsewhere(changedBy: -1) }
}

/// Is notified when loops sleep and wake, on their threads.
package protocol LoopObserver: Sendable {
  /// The loop has nothing to do until `deadline`, or until one of `descriptors` is ready.
  func willSleep(_ loop: EventLoop, until deadline: ContinuousClock.Instant?, watching descriptors: [pollfd])
  /// The loop is awake.
  func didWake(_ loop: EventLoop)
  /// Work that other threads do for loops was begun (1), or is done (-1): no time may be skipped meanwhile.
  func workElsewhere(changedBy count: Int)
}
