// SPDX-License-Identifier: MIT

/// The access rules of the page: who may request what.
package struct AccessPolicy: Sendable {
  /// The facts about a request that are known before it is answered.
  package struct Request: Sendable {
    package var method: String
    package var path: String
    package var host: String?
    package var origin: String?
    /// The header Sec-Fetch-Site.
    package var site: String?
    package var authorization: String?
    package var cookie: String?

    package init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }
  }

  package enum Verdict: Sendable, Equatable {
    case allowed
    /// Only what needs no token.
    case anonymous
    case refused(status: Int, reason: String)
  }

  /// The names of the page in the header Host, in lower case; addresses need none.
  private let names: Set<String>
  private let token: [UInt8]?
  private let session: String
  /// The paths that take a POST.
  private let writable: Set<String>

  /// The name of the cookie of those who have logged in.
  package static let cookieName = "blectl_session"

  /// - Parameters:
  ///   - names: what the page may be called, besides `localhost` and addresses.
  ///   - token: what clients have to know; nil asks nothing.
  ///   - session: the value of the cookie.
  ///   - isWritable: whether values may be written.
  package init(names: some Sequence<String>, token: String?, session: String, isWritable: Bool) {
    self.names = Set(names.map { $0.lowercased() } + ["localhost"])
    self.token = token.map { Array($0.utf8) }
    self.session = session
    writable = isWritable ? ["/login", "/logout", "/api/write"] : ["/login", "/logout"]
  }

  package func verdict(on request: Request) -> Verdict {
    guard let host = request.host, isOurs(host) else {
      return .refused(status: 421, reason: "the header Host names another server")
    }
    if let origin = request.origin, Self.authority(of: origin) != host.lowercased() {
      return .refused(status: 403, reason: "the request comes from another page")
    }
    switch request.method {
    case "GET", "HEAD":
      // A page elsewhere may link here, but not embed anything of it.
      if request.site == "cross-site" || request.site == "same-site", request.path != "/" {
        return .refused(status: 403, reason: "the request comes from another page")
      }
    case "POST" where writable.contains(request.path):
      if let site = request.site, site != "same-origin" {
        return .refused(status: 403, reason: "the request comes from another page")
      }
      // Browsers name the origin of every POST; a program sends its token in a header that no form can send.
      if request.origin == nil, !hasBearer(request), token != nil || request.site != nil,
        request.path != "/login"
      {
        return .refused(status: 403, reason: "the request does not say where it comes from")
      }
    default: return .refused(status: 405, reason: "only GET is possible here")
    }
    if token == nil || hasBearer(request) || hasSession(request) { return .allowed }
    return .anonymous
  }

  /// Returns whether a text is the token.
  package func accepts(_ text: some Sequence<UInt8>) -> Bool {
    token.map { Self.areEqual(Array(text), $0) } ?? false
  }

  private func hasBearer(_ request: Request) -> Bool {
    guard let words = request.authorization, words.lowercased().hasPrefix("bearer ") else { return false }
    return accepts(words.utf8.dropFirst("bearer ".utf8.count))
  }

  private func hasSession(_ request: Request) -> Bool {
    guard let cookie = request.cookie, !session.isEmpty else { return false }
    return cookie.split(separator: ";").contains { part in
      let words = part.split(separator: "=", maxSplits: 1)
      return words.count == 2 && words[0].drop { $0 == " " } == Self.cookieName
        && Self.areEqual(Array(words[1].utf8), Array(session.utf8))
    }
  }

  /// Takes the same time wherever they differ.
  private static func areEqual(_ text: [UInt8], _ secret: [UInt8]) -> Bool {
    var difference = text.count ^ secret.count
    for index in secret.indices { difference |= Int(secret[index] ^ (index < text.count ? text[index] : 0)) }
    return difference == 0 && !secret.isEmpty
  }

  // MARK: Names

  /// Returns whether the header Host names this server: a name that another one resolved to our address is
  /// not ours.
  private func isOurs(_ host: String) -> Bool {
    guard let name = Self.name(of: host.lowercased()) else { return false }
    return names.contains(name) || Self.isAddress(name)
  }

  /// The name without the port; nil if it is malformed.
  private static func name(of host: String) -> String? {
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let port = host[host.index(after: end)...]
      return port.isEmpty || port.hasPrefix(":") && isPort(port.dropFirst()) ? String(host[...end]) : nil
    }
    let parts = host.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.count == 1 || isPort(parts[1]), !parts[0].isEmpty else { return nil }
    return String(parts[0])
  }

  private static func isPort(_ text: Substring) -> Bool { UInt16(text) != nil }

  /// Returns whether a name is a numeric address, which no one can resolve to another one.
  private static func isAddress(_ name: String) -> Bool {
    if name.hasPrefix("[") {
      return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// The host and the port of an origin such as `https://name:8443`, as the header Host has them; nil if it has none.
  private static func authority(of origin: String) -> String? {
    for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
      return origin.dropFirst(scheme.count).lowercased()
    }
    return nil
  }
}
