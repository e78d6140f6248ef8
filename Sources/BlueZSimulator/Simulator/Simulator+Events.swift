// SPDX-License-Identifier: MIT

/// The events of a world.
extension Simulator {
  /// Schedules the events of a world, counted from now.
  func schedule(_ events: [WorldEvent]) {
    for event in events {
      switch event.trigger {
      case .time(let delay, let interval): schedule(event.command, after: delay, every: interval)
      case .connected(let device, let delay, let repeats):
        medium[device]?.onConnected.add { [weak self] in
          self?.assumeIsolated { $0.play(event.command, after: delay) }
          return repeats
        }
      case .operations(let device, let number, let repeats):
        medium[device]?.server.onOperation.add { [weak self] count in
          guard count == number else { return true }
          self?.assumeIsolated { $0.play(event.command, after: .zero) }
          return repeats
        }
      }
    }
  }

  private func schedule(_ command: ControlCommand, after delay: Duration, every interval: Duration?) {
    events.schedule(after: delay) { [weak self] in
      Task { try? await self?.perform(command) }
      guard let interval else { return }
      self?.assumeIsolated { $0.schedule(command, after: interval, every: interval) }
    }
  }
}
