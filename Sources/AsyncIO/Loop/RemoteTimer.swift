// SPDX-License-Identifier: MIT

/// A timer that can be set and cancelled from any thread.
package final class RemoteTimer: Sendable {
  private let loop: EventLoop
  private let slot = Lock<TimerID?>(nil)

  package init(
    _ loop: EventLoop, at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    loop.submit { [self] in
      let timer = loop.schedule(at: deadline) { action() }
      slot.withLock { $0 = timer }
    }
  }

  /// Cancels the timer.
  ///
  /// Does nothing if it has run.
  package func cancel() {
    loop.submit { [loop, slot] in
      if let timer = slot.withLock({ $0 }) { loop.cancel(timer) }
    }
  }
}

extension EventLoop {
  /// Gives the consumer of a channel an empty batch at a given time, unless cancelled before.
  package func nudge(
    _ channel: BatchChannel<some Sendable>, at deadline: ContinuousClock.Instant
  ) -> RemoteTimer {
    RemoteTimer(self, at: deadline) { channel.nudge() }
  }
}
