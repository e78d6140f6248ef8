// SPDX-License-Identifier: MIT

/// How long, and with which pauses, to try to connect to a lost device.
public struct ReconnectPolicy: Sendable, Hashable {
  /// The first pause between two attempts; each further one is twice as long, up to ``longestDelay``.
  ///
  /// Half a second by default.
  public var firstDelay: Duration

  /// The longest pause between two attempts; 30 s by default.
  ///
  /// Less than 0.2 s counts as 0.2 s: attempts without a pause would keep BlueZ and the radio busy.
  public var longestDelay: Duration

  /// When to give up; nil, the default, is never.
  public var limit: Duration?

  /// A policy.
  ///
  /// - Parameters:
  ///   - firstDelay: the first pause between two attempts.
  ///   - longestDelay: the longest.
  ///   - limit: when to give up; nil is never.
  public init(
    firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30), limit: Duration? = nil
  ) {
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.limit = limit
  }

  private static let shortestDelay = Duration.milliseconds(200)

  /// The pause after some attempts have failed.
  ///
  /// - Parameters:
  ///   - failures: how many attempts have failed, at least one.
  ///   - jitter: 0 up to 1: where in its range the pause lies, so that programs that lost the same adapter do not
  ///     all try at once.
  /// - Returns: between half of the pause and all of it.
  package func delay(after failures: Int, jitter: Double = .random(in: 0..<1)) -> Duration {
    let doubled = min(firstDelay * (1 << min(max(failures - 1, 0), 20)), longestDelay)
    return max(doubled, ReconnectPolicy.shortestDelay) * (0.5 + jitter / 2)
  }
}
