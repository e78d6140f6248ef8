// SPDX-License-Identifier: MIT

/// What a world does by itself.
extension Simulator {
  /// Plays events of a world from now on.
  func expect(_ events: [WorldEvent]) {
    for event in events {
      switch event.trigger {
      case .time(let delay, let interval): expect(event.command, after: delay, every: interval)
      case .connected(let device, let delay, let repeats):
        air[device]?.onConnected.add { [weak self] in
          self?.assumeIsolated { $0.play(event.command, after: delay) }
          return repeats
        }
      case .operations(let device, let number, let repeats):
        air[device]?.server.onOperation.add { [weak self] count in
          guard count == number else { return true }
          self?.assumeIsolated { $0.play(event.command, after: .zero) }
          return repeats
        }
      }
    }
  }

  private func expect(_ command: ControlCommand, after delay: Duration, every interval: Duration?) {
    events.schedule(after: delay) { [weak self] in
      Task { try? await self?.perform(command) }
      guard let interval else { return }
      self?.assumeIsolated { $0.expect(command, after: interval, every: interval) }
    }
  }
}
