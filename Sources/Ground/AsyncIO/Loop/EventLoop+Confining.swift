// SPDX-License-Identifier: MIT

/// A value that only code on one loop's thread uses.
private struct Confined<Value>: @unchecked Sendable { let value: Value }

/// Handlers and tasks that refer to objects of the loop's thread. Such objects are not Sendable: what a closure captures is
/// made on that thread, and never leaves it.
extension EventLoop {
  /// Returns a handler that calls `body`.
  ///
  /// Call on the loop's thread; the handler traps on another one.
  package func confined<Argument>(
    _ body: @escaping (Argument) -> Void
  ) -> @Sendable (Argument) -> Void {
    checkIsolated()
    let body = Confined(value: body)
    return { [self] argument in
      checkIsolated()
      body.value(argument)
    }
  }

  /// Returns a handler without an argument; otherwise like ``confined(_:)-(_)``.
  package func confined(_ body: @escaping () -> Void) -> @Sendable () -> Void {
    let handler = confined { (_: Void) in body() }
    return { handler(()) }
  }

  /// Returns a handler that calls `body` and returns its result; otherwise like ``confined(_:)-(_)``.
  package func confined<First, Second, Result>(
    _ body: @escaping (First, Second) -> Result
  ) -> @Sendable (First, Second) -> Result {
    checkIsolated()
    let body = Confined(value: body)
    return { [self] first, second in
      checkIsolated()
      return body.value(first, second)
    }
  }

  /// Returns what another actor of the loop hands over, such as an object; call on the loop's thread.
  package func take<Owner: LoopActor, Value>(
    from owner: Owner, _ body: @Sendable (isolated Owner) -> Value
  ) -> Value {
    precondition(owner.loop === self, "the actor runs on another loop")
    return owner.assumeIsolated { Confined(value: body($0)) }.value
  }

  /// Starts a task that runs on the loop's thread; call on that thread.
  @discardableResult
  package func spawn<Value: Sendable>(_ body: @escaping () async -> Value) -> Task<Value, Never> {
    checkIsolated()
    let body = Confined(value: body)
    return Task(executorPreference: self) { await body.value() }
  }
}
