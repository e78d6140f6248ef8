// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A moment on two clocks: the wall clock for people, and the monotonic clock for durations.
package struct Moment: Sendable, Comparable {
  package let time = Timestamp.now
  package let instant = LoopClock.now

  package init() {}

  package static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
