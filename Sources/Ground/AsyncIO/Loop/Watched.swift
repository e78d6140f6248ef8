// SPDX-License-Identifier: MIT

/// A value behind a lock, and the tasks that wait until it fulfils a condition.
package final class Watched<Value>: Sendable {
  private struct State {
    var value: Value
    var waiters: [Promise<Void>] = []
  }

  private let state: Lock<State>

  package init(_ value: sending Value) { state = Lock(State(value: value)) }

  /// Runs `body` with exclusive access to the value, without waking a task; see ``Lock/withLock(_:)``.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { body(&$0.value) }
  }

  /// Changes the value, and lets the tasks that wait look at it.
  package func change<Result>(_ body: (inout Value) -> Result) -> Result {
    let (result, waiters) = state.withLock { state in
      let result = body(&state.value)
      defer { state.waiters = [] }
      return (result, state.waiters)
    }
    for waiter in waiters { waiter.fulfil(()) }
    return result
  }

  /// Waits until the value fulfils a condition, or the task is cancelled; returns whether it does.
  @discardableResult
  package func wait(until isMet: (Value) -> Bool) async -> Bool {
    while true {
      let promise = Promise<Void>()
      let isReady = state.withLock { state in
        if isMet(state.value) { return true }
        state.waiters.append(promise)
        return false
      }
      if isReady { return true }
      await wait(for: promise)
      if Task.isCancelled { return state.withLock { isMet($0.value) } }
    }
  }

  /// Waits until the value is changed, or the task is cancelled.
  package func waitForChange() async {
    let promise = Promise<Void>()
    state.withLock { $0.waiters.append(promise) }
    await wait(for: promise)
  }

  private func wait(for promise: Promise<Void>) async {
    await promise.value(ifCancelled: ())
    if Task.isCancelled { state.withLock { $0.waiters.removeAll { $0 === promise } } }
  }
}
