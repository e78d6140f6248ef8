// SPDX-License-Identifier: MIT

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
