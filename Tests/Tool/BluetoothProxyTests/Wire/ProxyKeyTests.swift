// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("Keys of proxies")
struct ProxyKeyTests {
  @Test("A key is 44 characters of Base64")
  func text() throws {
    let key = try #require(ProxyKey(parsing: SampleSession.keyText))
    #expect(key.bytes == SampleSession.key)
    #expect(key.text == SampleSession.keyText)
  }

  @Test(
    "Other text is no key",
    arguments: [
      "", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh-=", "000102030405060708090a0b0c0d0e0f101112131415",
    ])
  func refused(text: String) { #expect(ProxyKey(parsing: text) == nil) }

  @Test(
    "The keys with which clients ask any device for its name are no keys", arguments: [0, 0x30] as [UInt8])
  func reserved(byte: UInt8) {
    let bytes = [UInt8](repeating: byte, count: 32)
    #expect(ProxyKey(bytes: bytes) == nil)
    #expect(ProxyKey(parsing: Base64.string(bytes)) == nil)
  }

  @Test("Each made key is another one, and can be entered")
  func made() {
    let keys = Set((0..<8).map { _ in ProxyKey.random() })
    #expect(keys.count == 8)
    for key in keys { #expect(ProxyKey(parsing: key.text) == key) }
  }

  @Test("A key does not print itself")
  func hidden() throws {
    let key = try #require(ProxyKey(parsing: SampleSession.keyText))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), String(describing: [key]), dumped] {
      #expect(!text.contains("AAEC") && !text.contains("bytes"))
    }
  }
}
