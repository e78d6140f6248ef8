// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BluetoothProxy

@Suite("Names of proxies")
struct ProxyNameTests {
  @Test(
    "A name has up to 31 small letters, digits and hyphens",
    arguments: ["a", "attic-pi", "0", String(repeating: "x", count: 31)])
  func allowed(name: String) { #expect(ProxyName(name)?.text == name) }

  @Test(
    "Other text is no name",
    arguments: [
      "", "Attic", "attic_pi", "attic pi", "é", "a\0", "a.local", String(repeating: "x", count: 32),
    ])
  func refused(name: String) { #expect(ProxyName(name) == nil) }

  @Test(
    "A name is made of the name of a host",
    arguments: [
      ("raspberrypi", "raspberrypi"), ("Attic Pi", "attic-pi"), ("attic.local", "attic-local"),
      ("-a--b-", "a-b"),
      ("Küche", "k-che"), ("__x__", "x"),
      (String(repeating: "y", count: 30) + "-zz", String(repeating: "y", count: 30)),
    ])
  func made(host: String, name: String) { #expect(ProxyName(from: host)?.text == name) }

  @Test("Of text without letters and digits no name is made", arguments: ["", "---", "ü"])
  func unmade(host: String) { #expect(ProxyName(from: host) == nil) }
}
