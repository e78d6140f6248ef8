// SPDX-License-Identifier: MIT

/// A value that only code on one loop's thread uses; other code may carry it there.
///
/// The value is made on that thread, and the compiler does not check who uses it: each use checks the thread.
package struct Confined<Value>: @unchecked Sendable {
  private let content: Value
  private let loop: EventLoop

  fileprivate init(_ content: Value, to loop: EventLoop) { (self.content, self.loop) = (content, loop) }

  /// The value; traps on another thread than the loop's.
  package var value: Value {
    loop.checkIsolated()
    return content
  }
}

/// Handlers and tasks that refer to objects of the loop's thread. Such objects are not Sendable: what a closure captures is
/// made on that thread, and never leaves it.
extension EventLoop {
  /// Returns a value of this thread so that Sendable code can carry it; call on the loop's thread.
  package func confine<Value>(_ value: Value) -> Confined<Value> {
    checkIsolated()
    return Confined(value, to: self)
  }

  /// Returns a handler that calls `body`.
  ///
  /// Call on the loop's thread; the handler traps on another one.
  package func confined<Argument>(
    _ body: @escaping (Argument) -> Void
  ) -> @Sendable (Argument) -> Void {
    let body = confine(body)
    return { body.value($0) }
  }

  /// Returns a handler without an argument; otherwise like ``confined(_:)-(_)``.
  package func confined(_ body: @escaping () -> Void) -> @Sendable () -> Void {
    let body = confine(body)
    return { body.value() }
  }

  /// Returns a handler that calls `body` and returns its result; otherwise like ``confined(_:)-(_)``.
  package func confined<First, Second, Result>(
    _ body: @escaping (First, Second) -> Result
  ) -> @Sendable (First, Second) -> Result {
    let body = confine(body)
    return { body.value($0, $1) }
  }

  /// Returns work for another task of the loop, such as a child of a group; otherwise like ``confined(_:)-(_)``.
  package func confinedWork(_ body: @escaping () async throws -> Void) -> @Sendable () async throws -> Void {
    let body = confine(body)
    return { try await body.value() }
  }

  /// Returns what another actor of the loop hands over, such as an object; call on the loop's thread.
  package func take<Owner: LoopActor, Value>(
    from owner: Owner, _ body: @Sendable (isolated Owner) -> Value
  ) -> Value {
    precondition(owner.loop === self, "the actor runs on another loop")
    return owner.assumeIsolated { Confined(body($0), to: self) }.value
  }

  /// Starts a task that runs on the loop's thread; call on that thread.
  @discardableResult
  package func spawn<Value: Sendable>(_ body: @escaping () async -> Value) -> Task<Value, Never> {
    let body = confine(body)
    return Task(executorPreference: self) { await body.value() }
  }

  /// Starts a task that may fail; otherwise like ``spawn(_:)``.
  @discardableResult
  package func spawn<Value: Sendable>(
    _ body: @escaping () async throws -> Value
  ) -> Task<Value, any Error> {
    let body = confine(body)
    return Task(executorPreference: self) { try await body.value() }
  }
}
