// SPDX-License-Identifier: MIT
internal import PeripheralEmulator

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

/// Serializes the attempts to connect of a controller, as the kernel does.
///
/// A device that is out of range does not hold the slot: for it the kernel only listens.
final class ConnectionSlot {
  private var holder: ConnectionAttempt?
  private var waiting: [(attempt: ConnectionAttempt, begin: () -> Void)] = []

  /// Calls `begin` at this attempt's turn, at once when no other attempt is active.
  func take(_ attempt: ConnectionAttempt, _ begin: @escaping () -> Void) {
    attempt.slot = self
    waiting.removeAll { $0.attempt === attempt }
    if holder == nil || holder === attempt {
      holder = attempt
      begin()
    } else {
      waiting.append((attempt, begin))
    }
  }

  /// Starts the next attempt after this one has succeeded, failed or been cancelled.
  func release(_ attempt: ConnectionAttempt) {
    waiting.removeAll { $0.attempt === attempt }
    guard holder === attempt else { return }
    holder = nil
    guard !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    holder = next.attempt
    next.begin()
  }
}
