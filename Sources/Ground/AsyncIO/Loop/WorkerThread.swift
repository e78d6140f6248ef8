// SPDX-License-Identifier: MIT
package import Glibc

/// A thread for blocking work; signals are left to other threads.
package enum WorkerThread {
  package static func start(_ body: @escaping @Sendable () -> Void) {
    withSignalsBlocked { NativeThread.start(body) }
  }

  /// Runs a closure on a new thread, which must be joined; returns nil if the system cannot create one.
  package static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    withSignalsBlocked { NativeThread.create(body) }
  }

  /// A new thread blocks the signals that its creator blocks.
  private static func withSignalsBlocked<Result>(_ make: () -> Result) -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return make()
  }
}
