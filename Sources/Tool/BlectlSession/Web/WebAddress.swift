// SPDX-License-Identifier: MIT
package import BlectlArguments
internal import Glibc

/// The location of the page: a numeric address, and the names that clients may use for it.
package struct WebAddress: Sendable, Hashable {
  package let host: String
  package let port: UInt16
  /// The name that others are told, if the page is on all addresses.
  private var shownName: String?
  /// Names for the check of the header Host.
  package let names: [String]

  /// Looks up the name of a host.
  ///
  ///   - names: what the page is called elsewhere, such as by a proxy.
  package init(_ address: ServerAddress, names: [String]) throws(CommandError) {
    guard case .tcp(let name, let port) = address else {
      throw .usage("cannot serve the page: it needs a port")
    }
    guard let host = Self.numeric(name) else {
      throw CommandError(
        status: .failed, message: "cannot serve the page: there is no address of \(name)",
        hint: "use an address of this machine, such as 0.0.0.0 for all of them")
    }
    (self.host, self.port) = (host, port)
    var known = [name] + names
    shownName = names.first
    var buffer = [CChar](repeating: 0, count: 256)
    if gethostname(&buffer, buffer.count - 1) == 0 {
      let own = buffer.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      known += [own, own + ".local"]
      // A name with .local is known only where a program answers for it.
      shownName = shownName ?? own
    }
    self.names = known
  }

  /// True if only this machine reaches it.
  package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  /// The page for a person; `port` is the one that was taken, and `base` the path of a proxy.
  package func link(_ port: UInt16, base: String = "") -> String {
    let name = host == "0.0.0.0" || host == "::" ? shownName ?? host : host
    return "http://\(ServerAddress.text(name, port))\(base)/"
  }

  private static func numeric(_ host: String) -> String? {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_PASSIVE)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &found) == 0, let first = found else { return nil }
    defer { freeaddrinfo(found) }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(
        first.pointee.ai_addr, first.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        == 0
    else { return nil }
    return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
