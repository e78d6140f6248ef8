// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The writes without response of one call that the device has not confirmed: one task sends them, another confirms them.
final class UnconfirmedWrites: Sendable {
  /// Values that were sent one after the other.
  struct Part: Sendable {
    /// The number of values.
    var count: Int
    /// Their places among the commands to the device; those of other calls may be between.
    var commands: Range<Int>
    let start: ContinuousClock.Instant
  }

  /// The state of the request whose answer confirms a part.
  private enum Question {
    case none
    /// BlueZ may not have it: a value would overtake it.
    case coming
    case asked
  }

  private struct State {
    /// The values sent since the last confirmation began.
    var sent: Part?
    var question = Question.none
    /// The number of values in flight.
    var onTheWay = 0
    var confirmed = 0
    var isEnded = false

    /// Returns the number of values to send now, if a window of this size may be in flight.
    ///
    /// Until the next confirmation begins, at most half of the window is sent, so that the link has work
    /// while the device confirms the other half.
    func room(upTo window: Int) -> Int {
      min(window - onTheWay, max(1, window / 2) - (sent?.count ?? 0))
    }
  }

  private let state = Watched(State())

  // MARK: Sending

  /// Returns the number of values to send now, after ``waitForRoom(upTo:)``.
  func room(upTo window: Int) -> Int { state.withLock { $0.room(upTo: window) } }

  /// Waits until values may be sent, behind the request that confirms those before; returns false if the task is
  /// cancelled first.
  ///
  /// A value that overtook the request would be confirmed with those before, and the link would have no work meanwhile.
  func waitForRoom(upTo window: Int) async -> Bool {
    await state.wait { $0.room(upTo: window) > 0 && ($0.onTheWay == 0 || $0.question == .asked) }
    return !Task.isCancelled
  }

  /// Records the values that were sent.
  func add(_ count: Int, _ commands: Range<Int>, at start: ContinuousClock.Instant) {
    state.change { state in
      let earlier = state.sent ?? Part(count: 0, commands: commands, start: start)
      state.sent = Part(
        count: earlier.count + count, commands: earlier.commands.lowerBound..<commands.upperBound,
        start: earlier.start)
      state.onTheWay += count
    }
  }

  /// Records that nothing more will be sent.
  func end() { state.change { $0.isEnded = true } }

  // MARK: Confirming

  /// Waits until something was sent, and returns all of it; nil at the end, or if the task is cancelled.
  func next() async -> Part? {
    await state.wait { $0.sent != nil || $0.isEnded }
    if Task.isCancelled { return nil }
    return state.withLock { state in
      defer { state.sent = nil }
      if state.sent != nil { state.question = .coming }
      return state.sent
    }
  }

  /// Waits until values are on their way; returns false if the task is cancelled first.
  func waitUntilOnTheWay() async -> Bool {
    await state.wait { $0.onTheWay > 0 }
    return !Task.isCancelled
  }

  /// Records that BlueZ has the request that confirms the part.
  func asked() { state.change { if $0.question == .coming { $0.question = .asked } } }

  /// Records the arrival of a part, and returns the number of values that have arrived so far.
  func confirmed(_ part: Part) -> Int {
    state.change { state in
      state.question = .none
      state.onTheWay -= part.count
      state.confirmed += part.count
      return state.confirmed
    }
  }
}
