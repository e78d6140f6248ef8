// SPDX-License-Identifier: MIT

/// A pending call of Connect, or of Pair on a device without a link.
final class ConnectionAttempt {
  let call: MethodCall
  let isPairing: Bool
  /// The timers of the next step and of the timeout.
  var step: TimerQueue.Token?
  var timeout: TimerQueue.Token?
  /// The slot that it holds or waits for.
  weak var slot: ConnectionSlot?

  init(_ call: MethodCall, isPairing: Bool = false) {
    self.call = call
    self.isPairing = isPairing
  }

  func withdraw(_ timers: TimerQueue) {
    timers.cancel(step)
    timers.cancel(timeout)
    slot?.release(self)
  }
}
