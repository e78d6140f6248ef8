// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import TerminalOutput
package import ValueStreams

/// The written values for which `--exec` must still run its command, in order; used only on the loop.
package final class ExecQueue: @unchecked Sendable {
  private static let limit = 4096

  private let hook: ExecHook
  private var waiting: ArraySlice<ServedRecord> = []
  /// Fulfilled by the next value or the end.
  private var arrival: Promise<Void>?
  private var isFinished = false
  private var hasDropped = false
  /// Runs the command; it outlives the tasks that bring the values.
  private var work: Task<Void, any Error>?
  /// Fulfilled when the command cannot be run.
  private let failing = Promise<(any Error)?>()

  package init(_ hook: ExecHook) { self.hook = hook }

  /// Adds a written value; warns once if the command is too slow.
  package func add(_ record: ServedRecord) {
    if waiting.count < Self.limit {
      waiting.append(record)
      arrival?.fulfil(())
    } else if !hasDropped {
      hasDropped = true
      hook.context.console.warn(
        "the command of --exec is too slow: it does not run for every written value")
    }
  }

  /// Runs the command for each value until that fails, or the task is cancelled; ``finish()`` does the rest.
  package func run() async throws {
    work = Task(executorPreference: hook.context.loop) {
      do { try await self.work() } catch {
        self.failing.fulfil(error is CancellationError ? nil : error)
        throw error
      }
    }
    if let error = await failing.value(ifCancelled: nil) { throw error }
  }

  private func work() async throws {
    while true {
      if let record = waiting.popFirst() {
        try await hook.run(record)
      } else if isFinished {
        return
      } else {
        let arrival = Promise<Void>()
        self.arrival = arrival
        await arrival.value(ifCancelled: ())
        try Task.checkCancellation()
      }
    }
  }

  /// Runs the command for the waiting values; cancellation ends it, with a warning that counts the rest.
  package func finish() async throws {
    isFinished = true
    arrival?.fulfil(())
    guard let work else { return }
    let outcome = await withTaskCancellationHandler {
      await work.result
    } onCancel: {
      work.cancel()
    }
    guard case .failure(let error) = outcome else { return }
    if !waiting.isEmpty {
      hook.context.console.warn(
        "the command of --exec did not run for the last written values: \(waiting.count)")
    }
    throw error
  }
}
