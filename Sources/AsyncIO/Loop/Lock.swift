// SPDX-License-Identifier: MIT
public import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` would do, but on Linux the thread sanitizer does not understand it, and reports races inside its
/// critical sections. It understands a pthread mutex. The code is inlinable because other modules would otherwise use the
/// unspecialised generic code, which takes ten times as long.
public final class Lock<State>: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var state: State

  /// - Parameter state: the initial value.
  @inlinable public init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  ///
  /// Keep it short. Never suspend or call other code in it.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
