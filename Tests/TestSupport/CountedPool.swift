// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Dispatch
internal import Glibc

/// Runs the jobs of Swift's global pool on threads of its own, and counts them: only so can be seen that no task works.
final class CountedPool: TaskExecutor, @unchecked Sendable {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  private static let installed = Lock<CountedPool?>(nil)

  private let countChanged: @Sendable (Int) -> Void
  private let waiting = Lock<[UnownedJob]>([])
  private let available = DispatchSemaphore(value: 0)

  private init(_ countChanged: @escaping @Sendable (Int) -> Void) {
    self.countChanged = countChanged
    for _ in 0..<max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
      Thread.detach { [self] in
        while true { runNext() }
      }
    }
  }

  /// Takes the place of the global pool, for the rest of the process.
  ///
  /// - Parameter countChanged: called with 1 for each job that is queued, and with -1 when it has run.
  static func install(_ countChanged: @escaping @Sendable (Int) -> Void) {
    installed.withLock { $0 = CountedPool(countChanged) }
    guard let symbol = dlsym(nil, "swift_task_enqueueGlobal_hook") else {
      preconditionFailure("the Swift runtime has no hook for its global executor")
    }
    symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in
      CountedPool.installed.withLock { $0 }?.queue(job)
    }
  }

  func enqueue(_ job: consuming ExecutorJob) { queue(UnownedJob(job)) }

  private func queue(_ job: UnownedJob) {
    countChanged(1)
    waiting.withLock { $0.append(job) }
    available.signal()
  }

  private func runNext() {
    available.wait()
    let job = waiting.withLock { $0.removeFirst() }
    job.runSynchronously(on: asUnownedTaskExecutor())
    countChanged(-1)
  }
}
