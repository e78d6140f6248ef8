// SPDX-License-Identifier: MIT

/// The address at which a server waits for programs.
package enum ServerAddress: Sendable, Hashable {
  case tcp(host: String, port: UInt16)
  case unix(String)

  /// `127.0.0.1:7777`, `[::1]:7777`.
  package static func text(_ host: String, _ port: UInt16) -> String {
    "\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Parses `7777`, `localhost:7777`, `0.0.0.0:7777` or `[::1]:7777`; without a host, this machine only.
  package init(parsingTCP text: String) throws(ArgumentError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = parts.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(last)
    else {
      throw ArgumentError(text, "is not an address to listen on; use PORT or HOST:PORT")
    }
    var host = parts.dropLast().joined(separator: ":")
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if parts.count > 2 {
      throw ArgumentError(
        text, "is not an address to listen on; an IPv6 address is in brackets: [::1]:\(port)")
    }
    if parts.count > 1, host.isEmpty {
      throw ArgumentError(text, "has no host; use \(port), or 0.0.0.0:\(port) for every network")
    }
    self = .tcp(host: parts.count == 1 ? "127.0.0.1" : host, port: port)
  }
}
