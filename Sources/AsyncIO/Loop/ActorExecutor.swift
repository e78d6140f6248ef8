// SPDX-License-Identifier: MIT

/// Runs the jobs of actors on a loop's thread.
///
/// The loop itself is the executor of tasks that prefer it: those are isolated to nothing, and a task that goes from
/// one function that is isolated to nothing into the next goes on at once. Where one object was both, each such step
/// was queued anew, since the runtime took the task for an actor's.
final class ActorExecutor: SerialExecutor, @unchecked Sendable {
  /// Set by the loop when it is made, and as long-lived as this.
  unowned var loop: EventLoop?

  func enqueue(_ job: consuming ExecutorJob) { loop?.enqueue(UnownedJob(job), isIsolated: true) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func checkIsolated() { loop?.checkIsolated() }

  func isIsolatingCurrentContext() -> Bool? { loop?.isCurrent }
}
