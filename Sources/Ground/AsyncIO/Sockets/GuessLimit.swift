// SPDX-License-Identifier: MIT

/// The wrong secrets of the last minute, by the network that they came from: after ten, no more of them are looked at.
///
/// A secret that comes again tells its sender nothing, and counts once: a browser sends an old cookie with each request.
package struct GuessLimit {
  private struct Guess {
    /// Nil if the secret is not known.
    let hash: Int?
    let time: ContinuousClock.Instant
  }

  /// A person mistypes, and a program tries again by itself: a dialogue of Home Assistant makes three attempts.
  package static let most = 10
  package static let time = Duration.seconds(60)
  /// More networks are not told apart from the one that has been silent longest.
  package static let mostNetworks = 1000

  private var guesses: [String: [Guess]] = [:]

  package init() {}

  /// The number of networks from which some came.
  package var networks: Int { guesses.count }

  /// Returns whether no more guesses from a numeric address are looked at.
  package mutating func isReached(from address: String, at now: ContinuousClock.Instant) -> Bool {
    let network = NetworkAddress.network(of: address)
    guesses[network]?.removeAll { $0.time + Self.time <= now }
    if guesses[network]?.isEmpty == true { guesses[network] = nil }
    return guesses[network, default: []].count >= Self.most
  }

  /// Counts a wrong secret, or an attempt that does not show its secret, from a numeric address.
  package mutating func add(
    _ secret: [UInt8]? = nil, from address: String, at now: ContinuousClock.Instant
  ) {
    let (network, hash) = (NetworkAddress.network(of: address), secret?.hashValue)
    if let hash, guesses[network, default: []].contains(where: { $0.hash == hash }) { return }
    if guesses[network] == nil, guesses.count >= Self.mostNetworks { makeRoom(at: now) }
    // Those that count: more come only while they are not looked at.
    guesses[network] = guesses[network, default: []].suffix(Self.most - 1) + [Guess(hash: hash, time: now)]
  }

  private mutating func makeRoom(at now: ContinuousClock.Instant) {
    guesses = guesses.filter { ($0.value.last?.time ?? now) + Self.time > now }
    guard guesses.count >= Self.mostNetworks,
      let oldest = guesses.min(by: { ($0.value.last?.time ?? now) < ($1.value.last?.time ?? now) })?.key
    else { return }
    guesses[oldest] = nil
  }
}
