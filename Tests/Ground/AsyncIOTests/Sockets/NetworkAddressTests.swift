// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Testing

@Suite("NetworkAddress")
struct NetworkAddressTests {
  @Test(
    "An IPv6 address belongs to its network, and one of IPv4 in its form is one of IPv4; networks and words stay",
    arguments: [
      ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"), ("2001:DB8:0:1::9", "2001:db8:0:1::/64"),
      ("fe80::1%eth0", "fe80:0:0:0::/64"), ("fe80::2%eth1", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"),
      ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"), ("192.0.2.1", "192.0.2.1"),
      ("2001:db8:0:1::/64", "2001:db8:0:1::/64"), ("", ""), ("unknown", "unknown"),
    ])
  func networks(address: String, network: String) { #expect(NetworkAddress.network(of: address) == network) }

  @Test(
    "Only an address of IPv4 in the form of IPv6 is written in another way",
    arguments: [
      ("::ffff:127.0.0.1", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
      ("fe80::1%eth0", "fe80::1%eth0"), ("::127.0.0.1", "::127.0.0.1"),
    ])
  func plain(address: String, text: String) { #expect(NetworkAddress.plain(address) == text) }
}
