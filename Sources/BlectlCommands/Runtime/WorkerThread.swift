// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A thread for blocking work; signals are delivered to other threads.
enum WorkerThread {
  /// Runs a closure on a detached thread.
  static func start(_ body: @escaping @Sendable () -> Void) {
    withSignalsBlocked { NativeThread.start(body) }
  }

  /// Runs a closure on a new thread.
  ///
  /// - Returns: the thread, which must be joined; nil if the system cannot create one.
  static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    withSignalsBlocked { NativeThread.create(body) }
  }

  /// A thread inherits the blocked signals of its creator.
  private static func withSignalsBlocked<Result>(_ make: () -> Result) -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return make()
  }
}
