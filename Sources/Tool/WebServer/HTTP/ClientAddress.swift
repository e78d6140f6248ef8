// SPDX-License-Identifier: MIT
internal import Glibc
internal import NIOCore

/// Addresses of clients, by which they are counted.
enum ClientAddress {
  /// Returns the address of a client, or the network of an IPv6 address: one client has all the addresses in it.
  static func network(of address: SocketAddress?) -> String { network(of: address?.ipAddress ?? "") }

  /// Returns the same for an address as text, with or without a port.
  static func network(of text: String) -> String {
    var text = text[...]
    if text.first == "[" {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.count(where: { $0 == ":" }) == 1 {
      text = text.prefix { $0 != ":" }
    }
    return network(ofAddress: String(text))
  }

  private static func network(ofAddress text: String) -> String {
    var words = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, text, &words) == 1 else { return text }
    // ::ffff:192.0.2.1 is that of IPv4.
    if words.prefix(10).allSatisfy({ $0 == 0 }), words[10] == 0xff, words[11] == 0xff {
      return words.suffix(4).map(String.init).joined(separator: ".")
    }
    return words.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// Returns whether a client is a program of this machine, such as a proxy.
  static func isLoopback(_ address: SocketAddress?) -> Bool {
    guard let text = address?.ipAddress else { return false }
    return text == "::1" || network(of: text).hasPrefix("127.")
  }
}
