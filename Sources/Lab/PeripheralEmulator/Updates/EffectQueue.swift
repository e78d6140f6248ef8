// SPDX-License-Identifier: MIT

/// Performs the effects of an update one after another, each after the pauses before it.
final class EffectQueue {
  private let timers: TimerQueue
  private let perform: (UpdateEffect) -> Void
  private var effects: ArraySlice<UpdateEffect> = []
  private var pause: TimerQueue.Token?
  private var isBusy = false

  init(timers: TimerQueue, perform: @escaping (UpdateEffect) -> Void) {
    self.timers = timers
    self.perform = perform
  }

  /// The number of answers that wait for their time.
  var waitingAnswers: Int {
    effects.count { effect in
      if case .send = effect { true } else { false }
    }
  }

  func add(_ more: [UpdateEffect]) {
    effects += more
    performNext()
  }

  private func performNext() {
    guard pause == nil, !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    while let effect = effects.popFirst() {
      guard case .pause(let time) = effect else {
        perform(effect)
        continue
      }
      guard time > .zero else { continue }
      pause = timers.schedule(after: time) { [weak self] in
        self?.pause = nil
        self?.performNext()
      }
      return
    }
  }

  /// Drops everything except a restart, which it does at once.
  func linkEnded() {
    let restarts = effects.contains(.restart)
    timers.cancel(pause)
    pause = nil
    effects = []
    if restarts { perform(.restart) }
  }
}
