// SPDX-License-Identifier: MIT

/// A command that runs at a given time of the simulation.
package struct WorldEvent: Sendable, Equatable {
  /// The time of an event.
  package enum Trigger: Sendable, Equatable {
    /// A time after the start of the simulation, repeated at an interval if one is given.
    case time(Duration, every: Duration? = nil)
    /// A time after a link to a peripheral is established: only the first one, or each.
    case connected(device: String, after: Duration = .zero, repeats: Bool = false)
    /// The nth read or write on a link to a peripheral: on the first such link, or on each.
    case operations(device: String, Int, repeats: Bool = false)
  }

  package var trigger: Trigger
  package var command: ControlCommand

  package init(_ trigger: Trigger, _ command: ControlCommand) {
    self.trigger = trigger
    self.command = command
  }
}
