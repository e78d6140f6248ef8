// SPDX-License-Identifier: MIT
public import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` would do, but on Linux the thread sanitizer does not understand it, and reports
/// races inside its critical sections. It understands a pthread mutex. The code is inlinable because other
/// modules would otherwise use the unspecialised generic code, which takes ten times as long. It is Sendable because only
/// the holder of the mutex reaches the value.
///
/// A thread that takes the lock twice would wait for itself. A debug build stops there, with a message.
public final class Lock<State>: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var state: State

  /// - Parameter state: the initial value, which must not be empty, such as `()`: the thread sanitizer
  ///   mistakes each use of an empty value for a race. A debug build stops there.
  @inlinable public init(_ state: sending State) {
    assert(MemoryLayout<State>.size > 0, "the state of a lock is empty")
    self.state = state
    mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    #if DEBUG
      pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    #endif
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  ///
  /// Keep it short. Never suspend or call other code in it, and release no object, closure or task: its
  /// deinitializer may run code that takes the lock. Return such references instead, even a loaded weak
  /// reference: it may be the last one by now.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let status = pthread_mutex_lock(mutex)
    assert(status == 0, "the thread holds the lock already")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Replaces the value, and returns the old one, so that it is released without the lock.
  ///
  /// - Returns: the old value.
  @inlinable
  @discardableResult
  public func exchange(_ new: State) -> State {
    withLock { state in
      let old = state
      state = new
      return old
    }
  }

  /// Replaces a part of the value, and returns the old one, so that it is released without the lock.
  ///
  /// - Returns: the old value of the part.
  @inlinable
  @discardableResult
  public func exchange<Part>(_ part: WritableKeyPath<State, Part>, _ new: Part) -> Part {
    withLock { state in
      let old = state[keyPath: part]
      state[keyPath: part] = new
      return old
    }
  }
}
