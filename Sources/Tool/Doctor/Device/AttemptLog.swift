// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The attempts to open a link, noted while the library makes them; equal ones in a row are reported as one step.
final class AttemptLog: Sendable {
  private struct State {
    var attempts: [LinkAttempt] = []
    var start = LoopClock.now
    /// The number of attempts that were reported.
    var reported = 0
  }

  private let state = Lock(State())
  private let stages: StageLog

  init(reportingTo stages: StageLog) { self.stages = stages }

  var attempts: [LinkAttempt] { state.withLock { $0.attempts } }

  func note(_ step: LinkStep) {
    let hasFailed = state.withLock { state in
      let elapsed = LoopClock.now - state.start
      switch step {
      case .calling:
        state.start = LoopClock.now
        state.attempts.append(LinkAttempt())
      case .opened: state.attempts.mutateLast { $0.openedAfter = elapsed }
      case .failed(let error):
        // An error before the first call, or between two, is not an attempt.
        guard error.code != .cancelled, state.attempts.last.map({ $0.endedAfter == nil }) ?? false else {
          return false
        }
        state.attempts.mutateLast { ($0.endedAfter, $0.failure) = (elapsed, error) }
        return true
      }
      return false
    }
    guard hasFailed, let last = attempts.last else { return }
    let before = attempts.dropLast().last
    if let before, last.isLike(before) { return }
    reportRepeated(before: attempts.count - 1)
    report(last)
  }

  /// Records that the services of the link are known.
  func succeeded() {
    state.withLock { state in
      let elapsed = LoopClock.now - state.start
      state.attempts.mutateLast { $0.endedAfter = elapsed }
    }
    reportRepeated(before: attempts.count - 1)
  }

  /// Reports the equal attempts at the end of a series that failed; the limit may have ended one that had no outcome.
  func failed() { reportRepeated(before: attempts.prefix { $0.endedAfter != nil }.count) }

  private func report(_ attempt: LinkAttempt) {
    let number = state.withLock { state in
      state.reported += 1
      return state.reported
    }
    stages.say(
      .connect, .warn, "attempt \(number): \(attempt.text)",
      [
        "attempt": .count(number), "error": attempt.failure.map { .text($0.message) },
        "dbus_error": attempt.failure?.dbusName.map { .text($0) },
        "link_end": attempt.failure?.linkEnd.map { .text($0.rawValue) },
      ])
  }

  /// Reports the attempts that were like the last reported one, up to a number.
  private func reportRepeated(before end: Int) {
    let first = state.withLock { state in
      defer { state.reported = max(state.reported, end) }
      return state.reported + 1
    }
    guard first > 1, first <= end else { return }
    stages.say(
      .connect, .warn, first == end ? "attempt \(end): the same" : "attempts \(first) to \(end): the same",
      ["attempt": .count(end), "repeated": .count(end - first + 1)])
  }
}

extension [LinkAttempt] {
  fileprivate mutating func mutateLast(_ change: (inout LinkAttempt) -> Void) {
    if !isEmpty { change(&self[count - 1]) }
  }
}
