// SPDX-License-Identifier: MIT

/// A call of Connect, or of Pair on a device without a link, that is under way.
final class ConnectionAttempt {
  let call: MethodCall
  let isPairing: Bool
  /// What will happen next, and what when nothing does.
  var step: Agenda.Token?
  var timeout: Agenda.Token?
  /// What it waits for, or holds, while others wait.
  weak var slot: ConnectionSlot?

  init(_ call: MethodCall, isPairing: Bool = false) {
    self.call = call
    self.isPairing = isPairing
  }

  func withdraw(_ agenda: Agenda) {
    agenda.cancel(step)
    agenda.cancel(timeout)
    slot?.release(self)
  }
}
