// SPDX-License-Identifier: MIT

/// An actor that runs on the thread of a loop: ``EventLoop/actorExecutor`` is its executor.
package protocol LoopActor: Actor {
  /// The loop.
  nonisolated var loop: EventLoop { get }
}

extension LoopActor {
  // The check of the escaping closure contains the length of this file's path, also where the path itself is mapped: a program
  // would depend on the folder in which it is built.
  #sourceLocation(file:"assumeIsolated.swift",line:13)
  /// Runs `body` at once, isolated to the actor; traps on another thread than the loop's.
  ///
  /// In place of the runtime's function of this name: outside a job, as in a handler of the loop, that one takes
  /// 900 instructions, because it looks for the main actor first.
  @inlinable package nonisolated func assumeIsolated<Value: Sendable>(
    _ body: (isolated Self) throws -> Value
  ) rethrows -> Value {
    loop.checkIsolated()
    return try withoutActuallyEscaping(body) { body in
      // The isolation is a promise of the type only: the function is called in the same way.
      try unsafeBitCast(body, to: ((Self) throws -> Value).self)(self)
    }
  }
  #sourceLocation()

  /// Returns a handler for the loop that runs `body`, isolated to the actor; does nothing when the actor is gone.
  ///
  /// For what is called for each message: ``assumeIsolated(_:)`` has to box its closure, which takes as long as the rest of a
  /// short handler.
  @inlinable package nonisolated func handler<Argument>(
    _ body: @escaping @Sendable (isolated Self, Argument) -> Void
  ) -> @Sendable (Argument) -> Void {
    // As in assumeIsolated(_:).
    let body = unsafeBitCast(body, to: (@Sendable (Self, Argument) -> Void).self)
    weak let weakSelf = self
    return { argument in
      guard let actor = weakSelf else { return }
      actor.loop.checkIsolated()
      body(actor, argument)
    }
  }
}
