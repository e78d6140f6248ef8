// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import ValueStreams

/// Passes the events of a stream through its stages as they come, and when the time of a stage has come.
///
/// Used on the loop only; the lock is for the compiler.
final class StageRunner: Sendable {
  private struct State {
    var stages: StreamStages
    var timer: RemoteTimer?
    /// The time when the timer fires.
    var due: ContinuousClock.Instant?
    var isOver = false
  }

  private let state: Lock<State>
  private let loop: EventLoop
  /// Is given what comes out.
  private let deliver: @Sendable (StreamEvent) -> Void

  init(_ rules: StageRules, on loop: EventLoop, deliver: @escaping @Sendable (StreamEvent) -> Void) {
    state = Lock(State(stages: StreamStages(rules, from: Moment())))
    (self.loop, self.deliver) = (loop, deliver)
    schedule()
  }

  func take(_ event: StreamEvent) {
    for event in state.withLock({ $0.stages.take(event, at: Moment()) }) { deliver(event) }
    schedule()
  }

  /// Records that a device was heard.
  func heard(_ device: HeardDevice, at time: Timestamp) {
    let returned = state.withLock { $0.stages.heard(device, at: time, Moment()) }
    if let returned { deliver(returned) }
    schedule()
  }

  /// Returns sentences about the devices and the fields of alarms that did not come yet, each once.
  func takeRemarks() -> [String] { state.withLock { $0.stages.takeRemarks() } }

  /// Passes on what is left; nothing happens any more.
  func finish() {
    let events = state.withLock { state in
      state.isOver = true
      state.timer?.cancel()
      return state.stages.finish()
    }
    for event in events { deliver(event) }
  }

  private func advance() {
    let events = state.withLock { state -> [StreamEvent] in
      state.due = nil
      return state.isOver ? [] : state.stages.advance(to: Moment())
    }
    for event in events { deliver(event) }
    schedule()
  }

  /// Sets the timer, unless an earlier one is set, which looks again.
  private func schedule() {
    state.withLock { state in
      guard !state.isOver, let next = state.stages.deadline, state.due.map({ next < $0 }) ?? true else {
        return
      }
      state.timer?.cancel()
      state.due = next
      state.timer = RemoteTimer(loop, at: next) { [weak self] in self?.advance() }
    }
  }
}
