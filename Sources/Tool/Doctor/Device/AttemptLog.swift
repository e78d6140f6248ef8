// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The attempts to open a link, noted while the library makes them.
final class AttemptLog: Sendable {
  private struct State {
    var attempts: [LinkAttempt] = []
    var start = LoopClock.now
  }

  private let state = Lock(State())
  private let report: @Sendable (_ number: Int, LinkAttempt) -> Void

  /// `report` is called with each attempt that failed.
  init(report: @escaping @Sendable (_ number: Int, LinkAttempt) -> Void) { self.report = report }

  var attempts: [LinkAttempt] { state.withLock { $0.attempts } }

  func note(_ step: LinkStep) {
    let failed: (Int, LinkAttempt)? = state.withLock { state in
      let elapsed = LoopClock.now - state.start
      switch step {
      case .calling:
        state.start = LoopClock.now
        state.attempts.append(LinkAttempt())
      case .opened: state.attempts.mutateLast { $0.openedAfter = elapsed }
      case .failed(let error):
        // An error before the first call, or between two, is not an attempt.
        guard error.code != .cancelled, state.attempts.last.map({ $0.endedAfter == nil }) ?? false else {
          return nil
        }
        state.attempts.mutateLast { ($0.endedAfter, $0.failure) = (elapsed, error) }
        return state.attempts.last.map { (state.attempts.count, $0) }
      }
      return nil
    }
    if let failed { report(failed.0, failed.1) }
  }

  /// Records that the services of the link are known.
  func succeeded() {
    state.withLock { state in
      let elapsed = LoopClock.now - state.start
      state.attempts.mutateLast { $0.endedAfter = elapsed }
    }
  }
}

extension [LinkAttempt] {
  fileprivate mutating func mutateLast(_ change: (inout LinkAttempt) -> Void) {
    if !isEmpty { change(&self[count - 1]) }
  }
}
