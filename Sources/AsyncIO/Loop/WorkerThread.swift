// SPDX-License-Identifier: MIT
package import Glibc

/// A thread for work that blocks; signals stay with the others.
package enum WorkerThread {
  /// Runs a closure on a detached thread.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    withSignalsBlocked { NativeThread.start(body) }
  }

  /// Runs a closure on a thread of its own.
  ///
  /// - Returns: the thread, which must be joined; nil when the system has none to give.
  package static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    withSignalsBlocked { NativeThread.create(body) }
  }

  /// A new thread blocks the signals that its maker blocks.
  private static func withSignalsBlocked<Result>(_ make: () -> Result) -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return make()
  }
}
