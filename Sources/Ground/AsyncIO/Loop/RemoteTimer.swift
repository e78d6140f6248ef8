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

  /// Cancels the timer, unless it has run.
  package func cancel() {
    loop.submit { [loop, slot] in
      if let timer = slot.withLock({ $0 }) { loop.cancel(timer) }
    }
  }
}
