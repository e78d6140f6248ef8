// SPDX-License-Identifier: MIT

/// Runs the jobs of actors on a loop's thread.
///
/// The loop itself is the executor of tasks that prefer it. Such a task is not isolated to an actor, and
/// continues at once when one nonisolated function calls another. If one object were both executors, the
/// runtime would mistake the task for an actor's and queue it again at each such call.
final class ActorExecutor: SerialExecutor, @unchecked Sendable {
  /// Set by the loop when it is created; lives as long as this object.
  unowned var loop: EventLoop?

  func enqueue(_ job: consuming ExecutorJob) { loop?.enqueue(UnownedJob(job), isIsolated: true) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func checkIsolated() { loop?.checkIsolated() }

  func isIsolatingCurrentContext() -> Bool? { loop?.isCurrent }
}
