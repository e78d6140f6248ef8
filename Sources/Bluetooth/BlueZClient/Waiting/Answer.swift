// SPDX-License-Identifier: MIT
package import AsyncIO

/// A value that arrives once; one task may wait for it repeatedly, each time with another deadline.
package final class Answer<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var wait: Wait<Value>?
  }

  private let state = Lock(State())

  package init() {}

  /// Sets the value, from any thread.
  package func fulfil(_ value: Value) {
    let (wait, _) = state.withLock { state in
      let former = state.value
      state.value = value
      return (state.wait, former)
    }
    wait?.fulfil(value)
  }

  /// Waits on the loop's thread; returns nil if the deadline came first, throws `cancelled`.
  package func value(for operation: Operation, on loop: EventLoop) async throws(BLEError) -> Value? {
    let wait = Wait<Value>()
    let (value, _) = state.withLock { state in
      let former = state.wait
      state.wait = wait
      return (state.value, former)
    }
    if let value { return value }
    return try await wait.value(for: operation, on: loop)
  }
}
