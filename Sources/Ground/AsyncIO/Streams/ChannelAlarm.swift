// SPDX-License-Identifier: MIT

/// Gives the consumer of a channel an empty batch at a given time, unless it is released before.
public final class ChannelAlarm: Sendable {
  /// The time of the empty batch.
  package let time: ContinuousClock.Instant
  private let timer: RemoteTimer

  package init(
    _ time: ContinuousClock.Instant, for channel: BatchChannel<some Sendable>, on loop: EventLoop
  ) {
    self.time = time
    timer = RemoteTimer(loop, at: time) { channel.nudge() }
  }

  deinit { timer.cancel() }
}
