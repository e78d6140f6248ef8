// SPDX-License-Identifier: MIT

/// The one attempt to connect that a controller makes at a time: the kernel lets the others wait for it, in their order.
///
/// A device that is not heard does not hold it: for such ones the kernel only listens.
final class ConnectionSlot {
  private var holder: ConnectionAttempt?
  private var waiting: [(attempt: ConnectionAttempt, begin: () -> Void)] = []

  /// Calls `begin` when it is this attempt's turn, at once where no other is made.
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

  /// The attempt has succeeded, failed or been given up: the next one is made.
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
