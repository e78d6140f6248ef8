// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BluetoothProxy

@Suite("What a proxy says about itself")
struct ProxyIdentityTests {
  private func identity(_ friendlyName: String) -> ProxyIdentity {
    ProxyIdentity(
      name: SampleSession.name, friendlyName: friendlyName, address: SampleSession.address, maxConnections: 3,
      version: "1.0")
  }

  @Test(
    "Home Assistant finds the address and the name, and whether there is a key", arguments: [true, false])
  func texts(isEncrypted: Bool) {
    let texts = identity("Attic Pi").texts(isEncrypted: isEncrypted)
    #expect(texts.contains("mac=001a7dda7113"))
    #expect(texts.contains("friendly_name=Attic Pi"))
    #expect(texts.contains { $0.hasPrefix("api_encryption=") } == isEncrypted)
  }

  @Test("A name that mDNS has no room for is cut at a code point")
  func longName() throws {
    let name = String(repeating: "é", count: 200)
    let texts = identity(name).texts(isEncrypted: true)
    #expect(texts.allSatisfy { $0.utf8.count <= 255 })
    #expect(texts.contains("friendly_name=" + String(repeating: "é", count: 120)))
    #expect(identity(name).deviceInfo(isEncrypted: true).friendlyName == name)
  }
}
