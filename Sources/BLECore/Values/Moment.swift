// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A moment on two clocks: the wall clock for people, and the monotonic clock for durations.
package struct Moment: Sendable, Comparable {
  /// On the wall clock.
  package let time = Timestamp.now
  /// On the monotonic clock.
  package let instant = LoopClock.now

  /// Now.
  package init() {}

  /// Whether one comes before the other.
  package static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
