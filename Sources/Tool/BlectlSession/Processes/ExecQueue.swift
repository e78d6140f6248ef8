// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import TerminalOutput
package import ValueStreams

/// The records for which `--exec` must still run its command, in order.
package final class ExecQueue: Sendable {
  private struct State {
    var waiting = 0
    /// The number of records that found no room.
    var dropped = 0
    /// Runs the command; it outlives the tasks that bring the records.
    var work: Task<Void, any Error>?
    /// Says that the command is waited for.
    var notice: Task<Void, any Error>?
  }

  private static let limit = 4096

  private let hook: ExecHook
  private let jobs: Int
  /// The kind of the records, for warnings: `written value`.
  private let name: String
  private let (records, queue) = AsyncStream.makeStream(
    of: (any HookRecord).self, bufferingPolicy: .bufferingOldest(limit))
  private let state = Lock(State())
  /// Fulfilled when the command cannot be run.
  private let failing = Promise<(any Error)?>()

  /// - Parameters:
  ///   - hook: the command.
  ///   - name: a record, for warnings.
  ///   - jobs: how many commands run at once.
  package init(_ hook: ExecHook, for name: String, jobs: Int = 1) {
    (self.hook, self.name, self.jobs) = (hook, name, jobs)
  }

  /// Adds a record; warns once if the command is too slow, and counts for how many it does not run.
  package func add(_ record: any HookRecord) {
    switch queue.yield(record) {
    case .enqueued: state.withLock { $0.waiting += 1 }
    case .dropped:
      let dropped = state.withLock { state in
        state.dropped += 1
        return state.dropped
      }
      if dropped > 1 { break }
      hook.context.console.warn("the command of --exec is too slow: it does not run for every \(name)")
    default: break
    }
  }

  /// No more records come; says after a moment that the command still runs.
  package func end() {
    queue.finish()
    state.withLock { $0.notice = $0.notice ?? noticeOfWaiting() }
  }

  /// Runs the command for each record until their end; throws when that fails, or if records were left out.
  package func runCommands() async throws {
    let (hook, loop) = (hook, hook.context.loop)
    defer { state.withLock { $0.notice?.cancel() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      for await record in records {
        state.withLock { $0.waiting -= 1 }
        running += 1
        group.addTask(executorPreference: loop) { try await hook.run(record) }
        if running == jobs {
          try await group.next()
          running -= 1
        }
      }
      try await group.waitForAll()
    }
    try Task.checkCancellation()
    if let loss {
      throw CommandError(status: .failed, message: loss, hint: "more --jobs, or fewer records")
    }
  }

  /// Counts the records that found no room; nil if all did.
  private var loss: String? {
    let dropped = state.withLock { $0.dropped }
    if dropped == 0 { return nil }
    return
      "the command of --exec was too slow: it did not run for \(dropped) \(name)\(dropped == 1 ? "" : "s")"
  }

  /// Runs the command for each record until that fails, or the task is cancelled; ``finish()`` does the rest.
  package func run() async throws {
    let work = Task(executorPreference: hook.context.loop) {
      do {
        try await self.runCommands()
        try Task.checkCancellation()
      } catch {
        self.failing.fulfil(error is CancellationError ? nil : error)
        throw error
      }
    }
    state.exchange(\.work, work)
    if let error = await failing.value(ifCancelled: nil) { throw error }
  }

  /// The time that a command may take at the end without a notice.
  private static let quietTime = Duration.seconds(2)

  /// Says after a moment what is waited for, unless it is cancelled before.
  private func noticeOfWaiting() -> Task<Void, any Error> {
    let context = hook.context
    return Task(executorPreference: context.loop) {
      try await context.loop.sleep(for: Self.quietTime)
      context.remark("waiting for the command of --exec to end; Ctrl-C ends it")
    }
  }

  /// Runs the command for the waiting records; cancellation ends it, with a warning that counts the rest.
  package func finish() async throws {
    end()
    defer { state.withLock { $0.notice?.cancel() } }
    guard let work = state.withLock({ $0.work }) else { return }
    let outcome = await work.attachedResult
    guard case .failure(let error) = outcome else { return }
    let waiting = state.withLock { $0.waiting }
    if waiting > 0 {
      hook.context.console.warn("the command of --exec did not run for the last \(name)s: \(waiting)")
    }
    if let loss, error is CancellationError { hook.context.console.warn(loss) }
    throw error
  }
}
