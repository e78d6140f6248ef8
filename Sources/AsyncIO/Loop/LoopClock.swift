// SPDX-License-Identifier: MIT
package import Glibc
internal import Synchronization

/// The time that event loops go by, and all deadlines that end up with one.
///
/// It is the system's monotonic time, plus what was skipped. Only tests skip: when every loop of the process sleeps and
/// nothing can wake one but a timer, waiting for that timer proves nothing.
package enum LoopClock {
  private static let skippedNanoseconds = Atomic<Int64>(0)
  private static let isObserved = Atomic<Bool>(false)
  private static let currentObserver = Lock<(any LoopObserver)?>(nil)

  /// The time now.
  package static var now: ContinuousClock.Instant {
    let skipped = skippedNanoseconds.load(ordering: .acquiring)
    return skipped == 0 ? .now : .now + .nanoseconds(skipped)
  }

  /// Moves the time forward, for every loop; loops that sleep have to be woken to see it.
  package static func skip(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    skippedNanoseconds.add(seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1, ordering: .releasing)
  }

  /// Who learns when loops sleep.
  static var observer: (any LoopObserver)? {
    isObserved.load(ordering: .acquiring) ? currentObserver.withLock { $0 } : nil
  }

  /// Reports from now on when loops sleep and wake; those that sleep already report it once they have slept again.
  package static func observe(by observer: any LoopObserver) {
    currentObserver.withLock { $0 = observer }
    isObserved.store(true, ordering: .releasing)
  }
}

/// Learns when loops sleep, on their own threads.
package protocol LoopObserver: Sendable {
  /// The loop has nothing to do until `deadline`, or until one of `descriptors` is ready.
  func willSleep(_ loop: EventLoop, until deadline: ContinuousClock.Instant?, watching descriptors: [pollfd])
  /// The loop is awake.
  func didWake(_ loop: EventLoop)
}
