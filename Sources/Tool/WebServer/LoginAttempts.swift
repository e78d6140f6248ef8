// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The limit on attempts to use a token: ten per minute, from any origin.
final class LoginAttempts: Sendable {
  private let times = Lock<[ContinuousClock.Instant]>([])
  private let now: @Sendable () -> ContinuousClock.Instant

  private static let most = 10
  private static let time = Duration.seconds(60)

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Counts an attempt; returns false if there were too many.
  func take() -> Bool {
    let now = now()
    return times.withLock { times in
      times.removeAll { $0 + Self.time < now }
      guard times.count < Self.most else { return false }
      times.append(now)
      return true
    }
  }

  /// Forgets the attempts, since one was right.
  func forget() { times.withLock { $0 = [] } }
}
