// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The events of a world.
extension Simulator {
  /// Schedules the events of a world, counted from now.
  func schedule(_ events: [WorldEvent]) {
    for event in events { eventPlayer.schedule(event) { medium[$0] } }
  }

  /// Executes commands later, unless they have become impossible by then.
  var eventPlayer: EventPlayer {
    EventPlayer(timers: events) { [weak self] command in
      // Before the next message is read: elsewhere, a busy machine lets a client overtake the command.
      Task(executorPreference: EventLoop.simulation) { try? await self?.perform(command) }
    }
  }
}
