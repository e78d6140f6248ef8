// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("SHA-256")
struct SHA256Tests {
  @Test(
    "The digests are those of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func vectors(_ text: String, _ digest: String) throws {
    let digits = [UInt8](digest.utf8).map { UInt8($0 < 0x3a ? $0 - 0x30 : $0 - 0x57) }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    #expect(try SHA256.digest(of: Array(text.utf8)) == bytes)
  }

  @Test("Authentication codes are those of RFC 4231, 4.3 and 4.7")
  func authenticationCodes() throws {
    #expect(
      Hex.string(
        try SHA256.authenticationCode(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
      )
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      Hex.string(
        try SHA256.authenticationCode(
          of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
          key: [UInt8](repeating: 0xaa, count: 131)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
