// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// A period without values, because there is no link, or no subscription yet.
package struct LinkGap {
  /// Whether there has been no subscription yet.
  private(set) var isFirst = true
  private var start: Moment?
  /// How often subscribing has failed in this gap.
  private var failures = 0

  /// Whether an earlier link is being reopened.
  var isHealing: Bool { !isFirst && start != nil }

  /// The link is lost, or subscribing has failed.
  ///
  /// - Parameter moment: the time of the loss.
  /// - Returns: whether to report it: true once per gap, and never before the first subscription.
  package mutating func begin(at moment: Moment) -> Bool {
    let isLoss = !isFirst && start == nil
    if !isLoss { failures += 1 }
    start = start ?? moment
    return isLoss
  }

  /// How long the gap has lasted.
  package var length: Duration { start.map { LoopClock.now - $0.instant } ?? .zero }

  /// How long to wait before reopening the link: not at all after a loss, longer after each failure.
  package func pause(_ policy: ReconnectPolicy) -> Duration {
    failures == 0 ? .zero : policy.delay(after: failures)
  }

  /// Values are received again.
  ///
  /// - Returns: the length of the gap in seconds, with milliseconds; nil the first time.
  package mutating func end() -> Double? {
    defer { self = LinkGap(isFirst: false) }
    guard isHealing else { return nil }
    let (seconds, attoseconds) = length.components
    return Double(seconds * 1000 + attoseconds / 1_000_000_000_000_000) / 1000
  }

  package init() {}

  private init(isFirst: Bool) { self.isFirst = isFirst }
}
