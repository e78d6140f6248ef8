// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Reports the steps of an attempt, with the time that each has taken.
final class StageLog: Sendable {
  private let report: @Sendable (DeviceStage) -> Void
  private let start = LoopClock.now
  /// The end of the last step.
  private let last = Lock(LoopClock.now)

  /// `report` is called with each step.
  init(report: @escaping @Sendable (DeviceStage) -> Void) { self.report = report }

  /// Reports the end of a step, which began with the end of the one before.
  func say(
    _ kind: DeviceStage.Kind, _ status: Finding.Status, _ message: String,
    _ facts: KeyValuePairs<String, DeviceStage.Fact?> = [:]
  ) {
    let now = LoopClock.now
    let before = last.exchange(now)
    report(DeviceStage(kind, status, after: now - start, lasting: now - before, message, facts))
  }
}
