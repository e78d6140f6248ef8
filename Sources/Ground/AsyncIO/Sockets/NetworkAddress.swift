// SPDX-License-Identifier: MIT
internal import Glibc

/// Numeric addresses of machines on a network, as text.
package enum NetworkAddress {
  /// Returns an IPv4 address that has the form of an IPv6 address, such as `::ffff:192.0.2.1`, in its own form; other
  /// text as it is.
  package static func plain(_ address: String) -> String {
    bytes(ofIPv6: address).flatMap { mapped($0) } ?? address
  }

  /// Returns the network of an IPv6 address, such as `2001:db8:0:1::/64`: one machine has all the addresses in it.
  ///
  /// Other addresses, and other text, stay as they are; `::ffff:192.0.2.1` is an address of IPv4.
  package static func network(of address: String) -> String {
    guard let bytes = bytes(ofIPv6: address) else { return address }
    if let mapped = mapped(bytes) { return mapped }
    let words = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    return words.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }

  /// The bytes of an IPv6 address, which may have a zone, such as `fe80::1%eth0`; nil for other text.
  private static func bytes(ofIPv6 address: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &bytes) == 1 ? bytes : nil
  }

  private static func mapped(_ bytes: [UInt8]) -> String? {
    guard bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff else { return nil }
    return bytes.suffix(4).map(String.init).joined(separator: ".")
  }
}
