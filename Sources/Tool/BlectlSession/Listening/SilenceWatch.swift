// SPDX-License-Identifier: MIT

/// Notices that nothing is heard any more where devices were: the adapter may have failed, or all of them are away.
///
/// A few devices can be silent for long, so a silence counts only if it is far longer than those before it.
struct SilenceWatch {
  /// The time when something was last heard; nil before that.
  private var last: ContinuousClock.Instant?
  /// The longest silence that ended by itself.
  private var longest = Duration.zero
  private var isNoticed = false

  /// A shorter silence says nothing.
  static let least = Duration.seconds(300)
  /// The least ratio of a silence to the longest one before it.
  static let factor = 2
  /// A longer one is always noticed: one of those before it may have been a failure.
  static let most = Duration.seconds(3600)

  /// Takes something that was heard; returns true if a silence is over that was noticed.
  mutating func heard(at now: ContinuousClock.Instant) -> Bool {
    if let last { longest = max(longest, now - last) }
    last = now
    defer { isNoticed = false }
    return isNoticed
  }

  /// Begins anew after a time in which nothing could be heard.
  mutating func resume(at now: ContinuousClock.Instant) { if last != nil { last = now } }

  /// Returns how long nothing has been heard, if that is too long: once for each silence.
  mutating func silence(at now: ContinuousClock.Instant) -> Duration? {
    let limit = min(max(Self.least, longest * Self.factor), Self.most)
    guard !isNoticed, let last, now - last >= limit else { return nil }
    isNoticed = true
    return now - last
  }
}
