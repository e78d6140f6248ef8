// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import ValueStreams

/// A request, which is answered once: by its outcome, or by the end of the command.
final class ControlJob: Sendable {
  private struct State {
    var answer: (@Sendable (RemoteOutcome) -> Void)?
    var isUnderWay = false
  }

  let request: RemoteRequest
  let access: ControlAccess
  private let state: Lock<State>

  init(
    _ request: RemoteRequest, _ access: ControlAccess, _ answer: @escaping @Sendable (RemoteOutcome) -> Void
  ) {
    (self.request, self.access) = (request, access)
    state = Lock(State(answer: answer))
  }

  /// Records that a write is about to be sent.
  func begin() { state.withLock { $0.isUnderWay = true } }

  /// True if a write was sent, or is about to be.
  var mayHappen: Bool { state.withLock { $0.isUnderWay } }

  /// Answers, unless that has happened.
  func finish(_ outcome: RemoteOutcome) {
    let answer = state.withLock { state in
      defer { state.answer = nil }
      return state.answer
    }
    answer?(outcome)
  }
}
