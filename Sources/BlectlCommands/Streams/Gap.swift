// SPDX-License-Identifier: MIT
internal import BLECentral

/// A time in which no values can come, because there is no link.
struct Gap {
  /// Whether there has been no link yet.
  private(set) var isFirst = true
  private var start: Moment?
  /// How often subscribing has failed in this gap.
  private var failures = 0

  /// Whether a link that was there before is to be opened again.
  var isHealing: Bool { !isFirst && start != nil }

  /// The link is lost.
  ///
  /// - Parameter moment: when that became known.
  /// - Returns: whether that is news: true once a gap, and never before the first link stood.
  mutating func begin(at moment: Moment) -> Bool {
    if isFirst { return false }
    if start != nil {
      failures += 1
      return false
    }
    start = moment
    return true
  }

  /// How long to wait before the link is opened again: not at all the first time.
  func pause(_ policy: ReconnectPolicy) -> Duration { failures == 0 ? .zero : policy.delay(after: failures) }

  /// Values can come again.
  ///
  /// - Returns: how long they could not, in seconds with milliseconds; nil the first time.
  mutating func end() -> Double? {
    defer { self = Gap(isFirst: false) }
    guard let start else { return nil }
    let (seconds, attoseconds) = (ContinuousClock.now - start.instant).components
    return Double(seconds * 1000 + attoseconds / 1_000_000_000_000_000) / 1000
  }

  init() {}

  private init(isFirst: Bool) { self.isFirst = isFirst }
}
