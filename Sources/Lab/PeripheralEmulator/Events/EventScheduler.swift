// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEWorld

/// A peripheral that triggers events: by its links, and by reads and writes over them.
package protocol EventSource: AnyObject {
  var onConnected: Observers<Void> { get set }
  var server: AttributeServer { get }
}

/// Executes the commands of a world at their times.
package struct EventScheduler {
  package let timers: TimerQueue
  /// Executes a command, if it is possible at that time.
  package let perform: (ControlCommand) -> Void

  package init(timers: TimerQueue, perform: @escaping (ControlCommand) -> Void) {
    self.timers = timers
    self.perform = perform
  }

  /// Schedules an event, counted from now; `source` returns the peripheral with an address, if it exists.
  package func schedule(_ event: WorldEvent, of source: (String) -> (any EventSource)?) {
    switch event.trigger {
    case .time(let delay, let interval): run(event.command, after: delay, every: interval)
    case .connected(let device, let delay, let repeats):
      source(device)?.onConnected.add {
        run(event.command, after: delay)
        return repeats
      }
    case .operations(let device, let number, let repeats):
      source(device)?.server.onOperation.add { count in
        guard count == number else { return true }
        run(event.command, after: .zero)
        return repeats
      }
    }
  }

  /// Executes a command after some time, and then at an interval.
  package func run(_ command: ControlCommand, after delay: Duration, every interval: Duration? = nil) {
    run(command, at: LoopClock.now + delay, every: interval)
  }

  private func run(_ command: ControlCommand, at due: ContinuousClock.Instant, every interval: Duration?) {
    timers.schedule(at: due) {
      perform(command)
      if let interval { run(command, at: TimerQueue.time(after: due, by: interval), every: interval) }
    }
  }
}
