// SPDX-License-Identifier: MIT

/// A command that a world plays by itself when its time has come.
package struct WorldEvent: Sendable, Hashable {
  /// When.
  package enum Trigger: Sendable, Hashable {
    /// So long after the start of the simulation; then, where an interval is given, again each time it is over.
    case time(Duration, every: Duration? = nil)
    /// So long after a link to a peripheral has come up: after the first one, or after each.
    case connected(device: String, after: Duration = .zero, repeats: Bool = false)
    /// At the so many-th read or write on a link to a peripheral: on the first link where there are so many, or on each.
    case operations(device: String, Int, repeats: Bool = false)
  }

  /// When.
  package var trigger: Trigger
  /// What.
  package var command: ControlCommand

  /// A command at its time.
  package init(_ trigger: Trigger, _ command: ControlCommand) {
    self.trigger = trigger
    self.command = command
  }
}
