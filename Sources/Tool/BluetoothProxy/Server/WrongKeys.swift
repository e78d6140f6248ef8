// SPDX-License-Identifier: MIT

/// The hosts that have sent wrong keys lately.
struct WrongKeys {
  /// A dialogue of Home Assistant makes up to three attempts.
  static let most = 10
  static let time = Duration.seconds(60)
  /// More hosts are not remembered: the oldest attempt makes room.
  private static let mostHosts = 256

  private var attempts: [String: [ContinuousClock.Instant]] = [:]

  /// Records an attempt with a wrong key.
  mutating func add(_ host: String, at now: ContinuousClock.Instant) {
    if attempts[host] == nil, attempts.count >= Self.mostHosts {
      let oldest = attempts.min { ($0.value.last ?? now) < ($1.value.last ?? now) }
      if let oldest { attempts[oldest.key] = nil }
    }
    attempts[host] = Array((attempts[host] ?? []).suffix(Self.most - 1)) + [now]
  }

  /// Returns whether a host has made too many attempts, and has to wait.
  func areTooMany(from host: String, at now: ContinuousClock.Instant) -> Bool {
    guard let times = attempts[host], times.count >= Self.most, let first = times.first else { return false }
    return now - first < Self.time
  }
}
