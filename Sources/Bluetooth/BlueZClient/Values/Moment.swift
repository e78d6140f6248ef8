// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A moment on two clocks: the wall clock for people, and the monotonic clock for durations.
package struct Moment: Sendable, Comparable {
  package let time: Timestamp
  package let instant: ContinuousClock.Instant

  /// Creates the current moment.
  package init() { self.init(time: .now, instant: LoopClock.now) }

  package init(time: Timestamp, instant: ContinuousClock.Instant) {
    (self.time, self.instant) = (time, instant)
  }

  package static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
