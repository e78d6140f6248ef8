// SPDX-License-Identifier: MIT

/// A call of Connect that is under way.
final class ConnectionAttempt {
  let call: MethodCall
  /// What will happen next, and what when nothing does.
  var step: Agenda.Token?
  var timeout: Agenda.Token?

  init(_ call: MethodCall) { self.call = call }

  func withdraw(_ agenda: Agenda) {
    agenda.cancel(step)
    agenda.cancel(timeout)
  }
}
