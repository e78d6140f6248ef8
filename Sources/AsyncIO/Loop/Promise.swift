// SPDX-License-Identifier: MIT

/// A value that arrives once: the first `fulfil` wins, one task awaits it.
///
/// It closes the gap between cancellation and suspension. The first event on any thread (reply, timeout,
/// cancellation, a lost bus) resumes the waiting task, exactly once.
package final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case awaited(UnsafeContinuation<Value, Never>)
    case fulfilled(Value)
  }

  private let state = Lock<State>(.empty)

  package init() {}

  package func fulfil(_ value: Value) {
    let waiter = state.withLock { state -> UnsafeContinuation<Value, Never>? in
      switch state {
      case .empty:
        state = .fulfilled(value)
        return nil
      case .awaited(let continuation):
        state = .fulfilled(value)
        return continuation
      case .fulfilled:
        return nil
      }
    }
    waiter?.resume(returning: value)
  }

  /// The value, as soon as it is set; at most one task may wait.
  package var value: Value {
    get async {
      await withUnsafeContinuation { continuation in
        let ready = state.withLock { state -> Value? in
          if case .fulfilled(let value) = state { return value }
          state = .awaited(continuation)
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    }
  }

  /// Returns the value, or `end` if the task is cancelled first; at most one task may wait.
  package func value(ifCancelled end: Value) async -> Value {
    await withTaskCancellationHandler {
      await value
    } onCancel: {
      fulfil(end)
    }
  }

  /// Returns the value, `late` at a deadline, or `end` if the task is cancelled, whichever comes first; call on the
  /// loop's thread.
  package func value(
    until deadline: ContinuousClock.Instant?, on loop: EventLoop, ifLate late: Value, ifCancelled end: Value
  ) async -> Value {
    let timer = deadline.map { loop.schedule(at: $0) { [self] in fulfil(late) } }
    defer { if let timer { loop.cancel(timer) } }
    return await value(ifCancelled: end)
  }
}
