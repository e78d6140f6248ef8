// SPDX-License-Identifier: MIT

/// The events of a world.
extension Simulator {
  /// Schedules the events of a world, counted from now.
  func schedule(_ events: [WorldEvent]) {
    for event in events { eventPlayer.schedule(event) { medium[$0] } }
  }

  /// Executes commands later, unless they have become impossible by then.
  var eventPlayer: EventPlayer {
    EventPlayer(timers: events) { [weak self] command in
      Task { try? await self?.perform(command) }
    }
  }
}
