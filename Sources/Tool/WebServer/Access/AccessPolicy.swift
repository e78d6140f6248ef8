// SPDX-License-Identifier: MIT

/// The rules of the page for every request, whoever sends it: names, origins and methods.
struct AccessPolicy: Sendable {
  /// The facts about a request that the rules need.
  struct Request: Sendable {
    var method: String
    var path: String
    var host: String?
    var origin: String?
    /// The headers Sec-Fetch-Site, -Mode and -Dest.
    var site: String?
    var mode: String?
    var destination: String?
    /// True with a header Authorization, which no form of another page can send.
    var isAuthorized = false

    init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }
  }

  struct Refusal: Equatable {
    let status: Int
    let reason: String
    /// The methods that the path takes, if it is the method that is refused.
    var allowed: String?
  }

  /// The names of the page in the header Host, in lower case; addresses need none.
  private let names: Set<String>
  private let base: String
  /// The paths that take a POST.
  private let writable: Set<String>

  /// The paths to which other pages may lead.
  private static let entrances: Set<String> = ["/", "/login"]

  /// - Parameters:
  ///   - names: what the page may be called, besides `localhost` and addresses.
  ///   - base: the path under which a proxy shows it; empty for none.
  ///   - isWritable: whether values may be written.
  init(names: some Sequence<String>, base: String = "", isWritable: Bool) {
    self.names = Set(names.map { $0.lowercased() } + ["localhost"])
    self.base = base
    writable = isWritable ? ["/login", "/logout", "/api/write"] : ["/login", "/logout"]
  }

  /// Returns the path within the page; nil for the base without its slash.
  ///
  /// A proxy may pass the base on, or remove it.
  func local(_ path: String) -> String? {
    if base.isEmpty { return path }
    if path == base { return nil }
    return path.hasPrefix(base + "/") ? String(path.dropFirst(base.count)) : path
  }

  /// Returns why a request is refused; nil if it is not.
  func refusal(of request: Request) -> Refusal? {
    guard let host = request.host, isOurs(host) else {
      return Refusal(status: 421, reason: "the header Host names another server")
    }
    let foreign = Refusal(status: 403, reason: "the request comes from another page")
    if let origin = request.origin, Self.authority(of: origin) != host.lowercased() { return foreign }
    switch request.method {
    case "GET", "HEAD":
      // A page elsewhere may lead here, but not embed anything of it.
      if request.site == "cross-site" || request.site == "same-site", !isEntered(by: request) {
        return foreign
      }
    case "POST" where writable.contains(request.path):
      if let site = request.site, site != "same-origin" { return foreign }
      // Browsers name the origin of every POST.
      if request.origin == nil, !request.isAuthorized, request.path != "/login" {
        return Refusal(status: 403, reason: "the request does not say where it comes from")
      }
    default:
      return Refusal(
        status: 405, reason: "this method is not possible here", allowed: methods(of: request.path))
    }
    return nil
  }

  private func isEntered(by request: Request) -> Bool {
    Self.entrances.contains(request.path) && request.mode == "navigate" && request.destination == "document"
  }

  private func methods(of path: String) -> String {
    switch path {
    case "/logout", "/api/write": writable.contains(path) ? "POST" : "GET, HEAD"
    case "/login": "GET, HEAD, POST"
    default: "GET, HEAD"
    }
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
