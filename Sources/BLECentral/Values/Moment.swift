// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A moment on both clocks: the one that tells when it was, and the one that tells how long ago.
package struct Moment: Sendable, Comparable {
  /// On the wall clock.
  package let time = Timestamp.now
  /// On the clock that nobody sets.
  package let instant = LoopClock.now

  /// Now.
  package init() {}

  /// Whether one comes before the other.
  package static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
