// SPDX-License-Identifier: MIT
internal import ValueStreams

/// The command of `--exec` for the records of a stream: for values and averages, or only for alarms and absences.
package final class RecordHook: Sendable {
  private let queue: ExecQueue
  private let isForNotices: Bool

  /// `jobs` is how many commands run at once; `rules` decide which records they are for.
  package init(_ hook: ExecHook, jobs: Int, rules: StageRules?) {
    isForNotices = rules?.hasNotices ?? false
    queue = ExecQueue(hook, for: isForNotices ? "alarm" : "value", jobs: jobs)
  }

  /// Adds the records of an event that the command runs for.
  func add(_ event: StreamEvent) {
    for record in isForNotices ? event.noticeRecords : event.valueRecords { queue.add(record) }
  }

  /// Runs the command until that fails, or the task is cancelled.
  func run() async throws { try await queue.run() }

  /// Runs the command for the waiting records.
  func finish() async throws { try await queue.finish() }
}
