// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BLEFormats

/// A period without values because there is no link, or no subscription yet.
package struct LinkGap {
  /// True if there was no subscription yet.
  package private(set) var isFirst = true
  private var start: Moment?
  /// The number of times subscribing failed in this gap.
  private var failures = 0

  /// True if an earlier link is being reopened.
  var isHealing: Bool { !isFirst && start != nil }

  /// Starts the gap, or counts a failure; returns true once per gap, never before the first subscription.
  package mutating func begin(at moment: Moment) -> Bool {
    let isLoss = !isFirst && start == nil
    if !isLoss { failures += 1 }
    start = start ?? moment
    return isLoss
  }

  package var length: Duration { start.map { LoopClock.now - $0.instant } ?? .zero }

  /// Returns the delay before the link is reopened: none after a loss, longer after each failure.
  package func pause(_ policy: ReconnectPolicy) -> Duration {
    failures == 0 ? .zero : policy.delay(after: failures)
  }

  /// Ends the gap; returns its length in seconds, with milliseconds, or nil the first time.
  package mutating func end(at moment: Moment) -> Double? {
    defer { self = LinkGap(isFirst: false) }
    guard isHealing, let start else { return nil }
    return DurationText.seconds(moment.instant - start.instant)
  }

  package init() {}

  private init(isFirst: Bool) { self.isFirst = isFirst }
}
