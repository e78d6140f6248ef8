// SPDX-License-Identifier: MIT

extension EventLoop {
  /// Gives the consumer of a channel an empty batch at a given time, unless the timer is cancelled before.
  package func nudge(
    _ channel: BatchChannel<some Sendable>, at deadline: ContinuousClock.Instant
  ) -> RemoteTimer {
    RemoteTimer(self, at: deadline) { channel.nudge() }
  }
}
