// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import NIOCore

/// Addresses of clients, by which they are counted.
enum ClientAddress {
  /// Returns the network of a client.
  static func network(of address: SocketAddress?) -> String {
    NetworkAddress.network(of: address?.ipAddress ?? "")
  }

  /// Returns the network of an address as a proxy writes it, with or without a port.
  static func network(of text: String) -> String {
    var text = text[...]
    if text.first == "[" {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.count(where: { $0 == ":" }) == 1 {
      text = text.prefix { $0 != ":" }
    }
    return NetworkAddress.network(of: String(text))
  }

  /// Returns whether a client is a program of this machine, such as a proxy.
  static func isLoopback(_ address: SocketAddress?) -> Bool {
    guard let text = address?.ipAddress else { return false }
    return text == "::1" || NetworkAddress.plain(text).hasPrefix("127.")
  }
}
