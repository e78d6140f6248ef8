// SPDX-License-Identifier: MIT
package import Glibc

/// A value behind a lock, and the threads that wait until it fulfils a condition: for threads what ``Watched`` is for tasks.
///
/// It is Sendable because the condition variable is made for several threads, and inlinable for the same reason as ``Lock``.
package final class Monitor<State>: @unchecked Sendable {
  /// The outcome of a look at the value.
  package enum Look<Result> {
    case done(Result)
    /// Waits for the next ``Monitor/wake()``, or until a time, and looks again.
    case wait(until: ContinuousClock.Instant?)
  }

  @usableFromInline let lock: Lock<State>
  @usableFromInline let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init(_ state: sending State) {
    lock = Lock(state)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    changed.deallocate()
  }

  /// Runs `body` with exclusive access to the value, without waking a thread unless it calls ``wake()``.
  @inlinable package func withLock<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock(body) }

  /// Lets the waiting threads look at the value; callable with and without the lock.
  @inlinable package func wake() { pthread_cond_broadcast(changed) }

  /// Blocks the thread until a look at the value, with exclusive access to it, has a result.
  @inlinable package func wait<Result>(_ look: (inout State) -> Look<Result>) -> Result {
    pthread_mutex_lock(lock.mutex)
    defer { pthread_mutex_unlock(lock.mutex) }
    while true {
      switch look(&lock.state) {
      case .done(let result): return result
      case .wait(until: nil): pthread_cond_wait(changed, lock.mutex)
      case .wait(until: let limit?): wait(atMost: limit - .now)
      }
    }
  }

  @usableFromInline func wait(atMost time: Duration) {
    guard time > .zero else { return }
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = end.tv_nsec + Int(time.components.attoseconds / 1_000_000_000)
    end.tv_sec += Int(time.components.seconds) + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    pthread_cond_timedwait(changed, lock.mutex, &end)
  }
}
