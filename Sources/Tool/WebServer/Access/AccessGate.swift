// SPDX-License-Identifier: MIT

/// The check of the token: who knows it, which browsers have logged in, and how many guesses an address has left.
///
/// Used by the thread of the page only.
final class AccessGate {
  enum Verdict: Equatable {
    case known
    /// Sees only what needs no token.
    case anonymous
    /// Too many different wrong secrets came from there.
    case limited
  }

  enum Login: Equatable {
    /// The value of the cookie.
    case session(String)
    case wrong
    case limited
  }

  private struct Session {
    let secret: [UInt8]
    let end: ContinuousClock.Instant
  }

  private let token: [UInt8]?
  /// The port of the page.
  var port = 0
  private let now: () -> ContinuousClock.Instant
  private var sessions: [Session] = []
  private var guesses = WrongSecrets()

  /// The time after which a browser is asked again.
  static let sessionTime = Duration.seconds(30 * 86_400)
  private static let mostSessions = 64

  /// `token` is what clients have to know; nil asks nothing.
  init(token: String?, now: @escaping () -> ContinuousClock.Instant = { .now }) {
    self.token = token.map { Array($0.utf8) }
    self.now = now
  }

  /// The name of the cookie, which has the port: another page on this machine has its own.
  var cookieName: String { "blectl_session_\(port)" }

  /// Returns what the headers of a request say about the client.
  func verdict(authorization: String?, cookie: String?, from address: String) -> Verdict {
    guard token != nil else { return .known }
    let session = cookie.flatMap { secret(inCookie: $0) }
    if let session, hasSession(session) { return .known }
    let isLimited = guesses.isLimited(address, at: now())
    if let bearer = Self.bearer(authorization) {
      if isLimited { return .limited }
      if accepts(bearer) { return .known }
      guesses.add(bearer, from: address, at: now())
      return .anonymous
    }
    guard let session else { return .anonymous }
    if isLimited { return .limited }
    guesses.add(session, from: address, at: now())
    return .anonymous
  }

  /// Begins a session for a client that sends the token in the form.
  func logIn(_ secret: [UInt8]?, from address: String) -> Login {
    if guesses.isLimited(address, at: now()) { return .limited }
    guard let secret, accepts(secret) else {
      guesses.add(secret ?? [], from: address, at: now())
      return .wrong
    }
    let session = (0..<32).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    if sessions.count >= Self.mostSessions { sessions.removeFirst() }
    sessions.append(Session(secret: Array(session.utf8), end: now() + Self.sessionTime))
    return .session(session)
  }

  /// Returns whether a cookie has a session.
  func isKnown(cookie: String?) -> Bool {
    cookie.flatMap { secret(inCookie: $0) }.map { hasSession($0) } ?? false
  }

  /// Ends the session of a cookie.
  func logOut(cookie: String?) {
    guard let session = cookie.flatMap({ secret(inCookie: $0) }) else { return }
    sessions.removeAll { $0.secret == session }
  }

  private func hasSession(_ secret: [UInt8]) -> Bool {
    let now = now()
    sessions.removeAll { $0.end < now }
    // All of them, so that the time does not tell which.
    return sessions.reduce(false) { Self.areEqual(secret, $1.secret) || $0 }
  }

  private func accepts(_ secret: [UInt8]) -> Bool { token.map { Self.areEqual(secret, $0) } ?? false }

  private static func bearer(_ authorization: String?) -> [UInt8]? {
    guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return nil }
    return Array(authorization.utf8.dropFirst("bearer ".utf8.count))
  }

  private func secret(inCookie cookie: String) -> [UInt8]? {
    for part in cookie.split(separator: ";") {
      let words = part.split(separator: "=", maxSplits: 1)
      if words.count == 2, words[0].drop(while: { $0 == " " }) == cookieName { return Array(words[1].utf8) }
    }
    return nil
  }

  /// Takes the same time wherever they differ.
  private static func areEqual(_ text: [UInt8], _ secret: [UInt8]) -> Bool {
    var difference = text.count ^ secret.count
    for index in secret.indices { difference |= Int(secret[index] ^ (index < text.count ? text[index] : 0)) }
    return difference == 0 && !secret.isEmpty
  }
}

/// The wrong secrets of the last minute, by the address that they came from.
///
/// One that comes again tells its sender nothing, and counts once: a browser sends an old cookie with each request.
struct WrongSecrets {
  private struct Guess {
    let hash: Int
    let time: ContinuousClock.Instant
  }

  private var guesses: [String: [Guess]] = [:]

  private static let most = 10
  private static let time = Duration.seconds(60)
  /// More addresses are not told apart from the one that has been silent longest.
  private static let mostAddresses = 1000

  /// The number of addresses from which some came.
  var addresses: Int { guesses.count }

  /// Returns whether no more guesses of an address are looked at.
  mutating func isLimited(_ address: String, at now: ContinuousClock.Instant) -> Bool {
    guesses[address]?.removeAll { $0.time + Self.time < now }
    if guesses[address]?.isEmpty == true { guesses[address] = nil }
    return guesses[address, default: []].count >= Self.most
  }

  mutating func add(_ secret: [UInt8], from address: String, at now: ContinuousClock.Instant) {
    let hash = secret.hashValue
    if guesses[address, default: []].contains(where: { $0.hash == hash }) { return }
    if guesses[address] == nil, guesses.count >= Self.mostAddresses { makeRoom(at: now) }
    guesses[address, default: []].append(Guess(hash: hash, time: now))
  }

  private mutating func makeRoom(at now: ContinuousClock.Instant) {
    guesses = guesses.filter { ($0.value.last?.time ?? now) + Self.time >= now }
    guard guesses.count >= Self.mostAddresses,
      let oldest = guesses.min(by: { ($0.value.last?.time ?? now) < ($1.value.last?.time ?? now) })?.key
    else { return }
    guesses[oldest] = nil
  }
}
