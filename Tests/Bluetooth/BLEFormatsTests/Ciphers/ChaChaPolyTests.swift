// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("ChaCha20-Poly1305")
struct ChaChaPolyTests {
  private let text = Array(
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
      .utf8)
  private let nonce: [UInt8] = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47]
  private let associated: [UInt8] = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7]

  @Test("Bytes are encrypted as in RFC 8439, 2.8.2, and taken back")
  func vector() throws {
    let cipher = try ChaChaPoly(key: Array(0x80..<0xa0))
    let sealed = try cipher.seal(text, nonce: nonce, associated: associated)
    #expect(
      Hex.string(sealed) == """
        d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a\
        9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9d\
        e576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691
        """)
    #expect(try cipher.open(sealed, nonce: nonce, associated: associated) == text)
  }

  @Test("No bytes are a tag only")
  func empty() throws {
    let cipher = try ChaChaPoly(key: Array(0x80..<0xa0))
    let sealed = try cipher.seal([], nonce: nonce)
    #expect(sealed.count == ChaChaPoly.tagCount)
    #expect(try cipher.open(sealed, nonce: nonce).isEmpty)
  }

  @Test("What was changed, or has another nonce, key or associated data, is not opened")
  func changed() throws {
    let cipher = try ChaChaPoly(key: Array(0x80..<0xa0))
    let sealed = try cipher.seal(text, nonce: nonce, associated: associated)
    for place in [0, text.count - 1, text.count, sealed.count - 1] {
      var changed = sealed
      changed[place] ^= 1
      #expect(throws: CipherError.notAuthentic) {
        try cipher.open(changed, nonce: nonce, associated: associated)
      }
    }
    #expect(throws: CipherError.notAuthentic) { try cipher.open(sealed, nonce: nonce) }
    #expect(throws: CipherError.notAuthentic) {
      try cipher.open(sealed, nonce: nonce.reversed(), associated: associated)
    }
    let other = try ChaChaPoly(key: Array(0x81..<0xa1))
    #expect(throws: CipherError.notAuthentic) {
      try other.open(sealed, nonce: nonce, associated: associated)
    }
  }

  @Test("Keys, nonces and tags of other lengths are refused")
  func lengths() throws {
    #expect(throws: CipherError.invalidLength) { try ChaChaPoly(key: Array(0..<31)) }
    let cipher = try ChaChaPoly(key: Array(0..<32))
    #expect(throws: CipherError.invalidLength) { try cipher.seal(text, nonce: Array(nonce.dropLast())) }
    #expect(throws: CipherError.invalidLength) { try cipher.open(Array(0..<15), nonce: nonce) }
  }
}
