// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("X25519")
struct X25519Tests {
  @Test("What a private and a public key have in common is that of RFC 7748, 5.2")
  func vector() throws {
    let own = try X25519(
      privateKey: try #require(Hex.bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")))
    let other = try #require(Hex.bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
    #expect(
      Hex.string(try own.sharedSecret(with: other))
        == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
  }

  @Test("Two sides find the same bytes")
  func agreement() throws {
    let (one, other) = (try X25519(privateKey: Array(0..<32)), try X25519(privateKey: Array(32..<64)))
    #expect(one.publicKey != other.publicKey)
    #expect(try one.sharedSecret(with: other.publicKey) == other.sharedSecret(with: one.publicKey))
  }

  @Test("A public key that leads to zeros with every private key is refused", arguments: [0, 1] as [UInt8])
  func lowOrder(first: UInt8) throws {
    let own = try X25519(privateKey: Array(0..<32))
    let point = [first] + [UInt8](repeating: 0, count: 31)
    #expect(throws: CipherError.notAuthentic) { try own.sharedSecret(with: point) }
  }

  @Test("Keys of other lengths are refused")
  func lengths() throws {
    #expect(throws: CipherError.invalidLength) { try X25519(privateKey: Array(0..<31)) }
    let own = try X25519(privateKey: Array(0..<32))
    #expect(throws: CipherError.invalidLength) { try own.sharedSecret(with: Array(0..<33)) }
  }
}
