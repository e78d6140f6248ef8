// SPDX-License-Identifier: MIT

/// A value that arrives once: the first `fulfil` wins, one task at a time awaits it.
///
/// It closes the gap between cancellation and suspension. The first event on any thread (reply, timeout,
/// cancellation, a lost bus) resumes the waiting task, exactly once. The end of a wait is not the value: after a
/// deadline or a cancellation, the value can still arrive, for the next wait.
package final class Promise<Value: Sendable>: Sendable {
  /// The end of a wait, with the value or without.
  package enum Outcome: Sendable {
    case value(Value)
    case timedOut
    case cancelled
  }

  private enum State {
    case empty
    case awaited(UnsafeContinuation<Outcome, Never>)
    /// The wait ended before its task was suspended.
    case ended(Outcome)
    case fulfilled(Value)
  }

  private let state = Lock<State>(.empty)

  package init() {}

  package func fulfil(_ value: Value) {
    let former = state.withLock { state -> State in
      let former = state
      if case .fulfilled = former { return .empty }
      state = .fulfilled(value)
      return former
    }
    if case .awaited(let waiter) = former { waiter.resume(returning: .value(value)) }
  }

  /// The value, as soon as it is set; traps if another task waits.
  package var value: Value {
    get async {
      guard case .value(let value) = await outcome else {
        preconditionFailure("a wait that nothing ends has ended")
      }
      return value
    }
  }

  private var outcome: Outcome {
    get async {
      await withUnsafeContinuation { continuation in
        let ready = state.withLock { state -> Outcome? in
          switch state {
          case .empty:
            state = .awaited(continuation)
            return nil
          case .awaited: preconditionFailure("two tasks wait for one promise")
          case .ended(let end): return end
          case .fulfilled(let value): return .value(value)
          }
        }
        if let ready { continuation.resume(returning: ready) }
      }
    }
  }

  /// Ends the wait that is under way, without the value.
  private func endWait(with end: Outcome) {
    let waiter = state.withLock { state -> UnsafeContinuation<Outcome, Never>? in
      switch state {
      case .empty:
        state = .ended(end)
        return nil
      case .awaited(let waiter):
        state = .empty
        return waiter
      case .ended, .fulfilled: return nil
      }
    }
    waiter?.resume(returning: end)
  }

  /// Forgets the end of a wait, so that the next one waits for the value.
  private func forgetEnd() {
    _ = state.withLock { state -> State in
      let former = state
      if case .ended = former { state = .empty }
      return former
    }
  }

  /// Waits for the value, a deadline or the cancellation of the task, whichever comes first; traps if another task waits.
  ///
  /// With a deadline, call it on the loop's thread.
  package func outcome(until deadline: ContinuousClock.Instant?, on loop: EventLoop) async -> Outcome {
    defer { forgetEnd() }
    let timer = deadline.map { loop.schedule(at: $0) { [self] in endWait(with: .timedOut) } }
    defer { if let timer { loop.cancel(timer) } }
    return await outcomeUnlessCancelled()
  }

  private func outcomeUnlessCancelled() async -> Outcome {
    await withTaskCancellationHandler {
      await outcome
    } onCancel: {
      endWait(with: .cancelled)
    }
  }

  /// Returns the value, or `end` if the task is cancelled first; traps if another task waits.
  package func value(ifCancelled end: Value) async -> Value {
    defer { forgetEnd() }
    return if case .value(let value) = await outcomeUnlessCancelled() { value } else { end }
  }

  /// Returns the value, `late` at a deadline, or `end` if the task is cancelled, whichever comes first; call on the
  /// loop's thread.
  package func value(
    until deadline: ContinuousClock.Instant?, on loop: EventLoop, ifLate late: Value, ifCancelled end: Value
  ) async -> Value {
    switch await outcome(until: deadline, on: loop) {
    case .value(let value): value
    case .timedOut: late
    case .cancelled: end
    }
  }
}
