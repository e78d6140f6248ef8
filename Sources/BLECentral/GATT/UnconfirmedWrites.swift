// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The writes without response of one call that the device has not confirmed: one task sends them, another confirms them.
final class UnconfirmedWrites: Sendable {
  /// Values that were sent one after the other.
  struct Part: Sendable {
    /// How many values.
    var count: Int
    /// Their places among the commands to the device; those of other calls may be between.
    var commands: Range<Int>
    let start: ContinuousClock.Instant
  }

  private struct State {
    /// What was sent since the last confirmation began.
    var sent: Part?
    /// How many values are on their way.
    var onTheWay = 0
    var confirmed = 0
    var isEnded = false
    var waiters: [Promise<Void>] = []
  }

  private let state = Lock(State())

  // MARK: Sending

  /// How many values to send now, if a window of this size may be on the way: up to a half, so that the link has work
  /// while the device confirms the other.
  func room(upTo window: Int) -> Int {
    state.withLock { min(window - $0.onTheWay, max(1, window / 2)) }
  }

  /// Waits until a value may be sent; returns false if the task is cancelled first.
  func waitForRoom(upTo window: Int) async -> Bool {
    await wait { $0.onTheWay < window }
    return !Task.isCancelled
  }

  /// Notes what was sent.
  func add(_ count: Int, _ commands: Range<Int>, at start: ContinuousClock.Instant) {
    change { state in
      let earlier = state.sent ?? Part(count: 0, commands: commands, start: start)
      state.sent = Part(
        count: earlier.count + count, commands: earlier.commands.lowerBound..<commands.upperBound,
        start: earlier.start)
      state.onTheWay += count
    }
  }

  /// Notes that nothing more will be sent.
  func end() { change { $0.isEnded = true } }

  // MARK: Confirming

  /// Waits until something was sent, and returns all of it; nil at the end, or if the task is cancelled.
  func next() async -> Part? {
    await wait { $0.sent != nil || $0.isEnded }
    if Task.isCancelled { return nil }
    return state.withLock { state in
      defer { state.sent = nil }
      return state.sent
    }
  }

  /// Notes what has arrived, and returns how many values have by now.
  func confirmed(_ part: Part) -> Int {
    change { state in
      state.onTheWay -= part.count
      state.confirmed += part.count
      return state.confirmed
    }
  }

  // MARK: Waiting

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    let (result, waiters) = state.withLock { state in
      let result = body(&state)
      defer { state.waiters = [] }
      return (result, state.waiters)
    }
    for waiter in waiters { waiter.fulfil(()) }
    return result
  }

  /// Waits until a condition is met, or the task is cancelled.
  private func wait(until isMet: (State) -> Bool) async {
    while !Task.isCancelled {
      let promise = Promise<Void>()
      let isReady = state.withLock { state in
        if isMet(state) { return true }
        state.waiters.append(promise)
        return false
      }
      if isReady { return }
      await promise.value(ifCancelled: ())
    }
  }
}
