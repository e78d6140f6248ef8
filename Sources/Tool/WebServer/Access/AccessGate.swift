// SPDX-License-Identifier: MIT
internal import AsyncIO

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
  private var guesses = GuessLimit()

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
    let isLimited = guesses.isReached(from: address, at: now())
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
    if guesses.isReached(from: address, at: now()) { return .limited }
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
