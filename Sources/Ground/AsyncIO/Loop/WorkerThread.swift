// SPDX-License-Identifier: MIT
package import Glibc

/// A thread for blocking work; signals are left to other threads.
package enum WorkerThread {
  package static func start(_ body: @escaping @Sendable () -> Void) {
    withSignalsBlocked { NativeThread.start(body) }
  }

  /// Runs a closure on a new thread, which takes over a value that only one thread may use.
  package static func start<Value>(with value: sending Value, _ body: @escaping @Sendable (Value) -> Void) {
    let parcel = Lock<Value?>(value)
    start { if let value = parcel.exchange(nil) { body(value) } }
  }

  /// Runs a closure that blocks on a new thread; returns its result, or nil if the task is cancelled first: then nobody
  /// waits for the thread any more.
  package static func result<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async -> Result<Value, Failure>? {
    let outcome = Promise<Result<Value, Failure>?>()
    start { outcome.fulfil(Result { () throws(Failure) in try body() }) }
    return await outcome.value(ifCancelled: nil)
  }

  /// Runs a closure on a new thread, which must be joined; returns nil if the system cannot create one.
  package static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    withSignalsBlocked { NativeThread.create(body) }
  }

  /// A new thread blocks the signals that its creator blocks.
  package static func withSignalsBlocked<Result>(_ make: () -> Result) -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return make()
  }
}

/// A pthread that runs a closure: for work that must not block a thread of Swift's pool.
package enum NativeThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on a new thread, which must be joined or detached; nil if none can be created.
  package static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
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

  package static func start(_ body: @escaping @Sendable () -> Void) {
    guard let thread = create(body) else { preconditionFailure("the system has no thread to give") }
    pthread_detach(thread)
  }
}
