// SPDX-License-Identifier: MIT
internal import Glibc

/// A thread for work that blocks.
enum WorkerThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on a thread that nobody waits for.
  static func start(_ body: @escaping @Sendable () -> Void) {
    guard let thread = create(body) else { preconditionFailure("no thread for an output") }
    pthread_detach(thread)
  }

  /// Runs a closure on a thread of its own; signals stay with the others.
  ///
  /// - Returns: the thread, which must be joined; nil when the system has none to give.
  static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    if status == 0 { return thread }
    Unmanaged<Body>.fromOpaque(context).release()
    return nil
  }
}
