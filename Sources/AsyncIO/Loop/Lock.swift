// SPDX-License-Identifier: MIT
public import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` would do, but the thread sanitizer does not see through it on Linux and reports races
/// inside its critical sections; a pthread mutex it knows. Inlinable: of generic code, other modules otherwise get the one
/// that fits any type, which takes ten times as long.
public final class Lock<State>: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var state: State

  /// - Parameter state: the value at first.
  @inlinable public init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` alone with the value.
  ///
  /// Keep it short, and never suspend or call out from it.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
