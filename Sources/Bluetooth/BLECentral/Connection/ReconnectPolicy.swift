// SPDX-License-Identifier: MIT

/// The time limit and the pauses for reconnecting to a lost device.
public struct ReconnectPolicy: Sendable, Hashable {
  /// The first pause between two attempts; half a second by default.
  ///
  /// Each further pause is twice as long, up to ``longestDelay``.
  public var firstDelay: Duration

  /// The longest pause between two attempts; 30 s by default.
  ///
  /// Values below 0.2 s count as 0.2 s: attempts without a pause would keep BlueZ and the radio busy.
  public var longestDelay: Duration

  /// The time after which to give up; nil, the default, means never.
  public var limit: Duration?

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - firstDelay: the first pause between two attempts.
  ///   - longestDelay: the longest pause.
  ///   - limit: when to give up; nil means never.
  public init(
    firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30), limit: Duration? = nil
  ) {
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.limit = limit
  }

  private static let shortestDelay = Duration.milliseconds(200)

  /// Returns the pause after a number of failed attempts.
  ///
  /// - Parameters:
  ///   - failures: how many attempts failed, at least one.
  ///   - jitter: from 0 up to 1, the position of the pause within its range, so that programs that lost the
  ///     same adapter do not all retry at once.
  /// - Returns: between half of the pause and the whole pause.
  package func delay(after failures: Int, jitter: Double = .random(in: 0..<1)) -> Duration {
    let doubled = min(firstDelay * (1 << min(max(failures - 1, 0), 20)), longestDelay)
    return max(doubled, ReconnectPolicy.shortestDelay) * (0.5 + jitter / 2)
  }
}
