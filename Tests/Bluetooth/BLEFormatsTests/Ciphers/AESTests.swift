// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("AES")
struct AESTests {
  private func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  @Test("One block is encrypted as in NIST SP 800-38A, F.1.1")
  func block() throws {
    let cipher = try AES(key: hex("2b7e151628aed2a6abf7158809cf4f3c"))
    let vectors = [
      ("6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"),
      ("ae2d8a571e03ac9c9eb76fac45af8e51", "f5d3d58503b9699de785895a96fdbaaf"),
      ("30c81c46a35ce411e5fbc1191a0a52ef", "43b1cd7f598ece23881b00e3ed030688"),
      ("f69f2445df4f9b17ad2b417be66c3710", "7b0c785e27e8ad3f8223207104725dd4"),
    ]
    for (plain, encrypted) in vectors { #expect(try cipher.encrypt(block: hex(plain)) == hex(encrypted)) }
  }

  @Test("Counter mode gives the bytes of NIST SP 800-38A, F.5.1, and takes them back")
  func counter() throws {
    let cipher = try AES(key: hex("2b7e151628aed2a6abf7158809cf4f3c"))
    let counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    let plain = hex(
      "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51"
        + "30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710")
    let encrypted = hex(
      "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff"
        + "5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee")
    #expect(try cipher.count(plain, from: counter) == encrypted)
    #expect(try cipher.count(encrypted, from: counter) == plain)
    // The last block may be incomplete.
    #expect(try cipher.count(Array(plain.prefix(21)), from: counter) == Array(encrypted.prefix(21)))
    #expect(try cipher.count([], from: counter) == [])
  }

  struct Vector: Sendable {
    var key, nonce, associated, plain, encrypted, tag: String
  }

  /// NIST SP 800-38C, C.1 to C.3, and RFC 3610, packet vectors 1, 2 and 4.
  private static let vectors = [
    Vector(
      key: "404142434445464748494a4b4c4d4e4f", nonce: "10111213141516", associated: "0001020304050607",
      plain: "20212223", encrypted: "7162015b", tag: "4dac255d"),
    Vector(
      key: "404142434445464748494a4b4c4d4e4f", nonce: "1011121314151617",
      associated: "000102030405060708090a0b0c0d0e0f", plain: "202122232425262728292a2b2c2d2e2f",
      encrypted: "d2a1f0e051ea5f62081a7792073d593d", tag: "1fc64fbfaccd"),
    Vector(
      key: "404142434445464748494a4b4c4d4e4f", nonce: "101112131415161718191a1b",
      associated: "000102030405060708090a0b0c0d0e0f10111213",
      plain: "202122232425262728292a2b2c2d2e2f3031323334353637",
      encrypted: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5", tag: "484392fbc1b09951"),
    Vector(
      key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", nonce: "00000003020100a0a1a2a3a4a5",
      associated: "0001020304050607", plain: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
      encrypted: "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384", tag: "17e8d12cfdf926e0"),
    Vector(
      key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", nonce: "00000004030201a0a1a2a3a4a5",
      associated: "0001020304050607", plain: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
      encrypted: "72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3b", tag: "a091d56e10400916"),
    Vector(
      key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", nonce: "00000006050403a0a1a2a3a4a5",
      associated: "000102030405060708090a0b", plain: "0c0d0e0f101112131415161718191a1b1c1d1e",
      encrypted: "a28c6865939a9a79faaa5c4c2a9d4a91cdac8c", tag: "96c861b9c9e61ef1"),
  ]

  @Test(
    "CCM gives the vectors of NIST SP 800-38C and RFC 3610, and takes them back", arguments: vectors.indices)
  func ccm(_ index: Int) throws {
    let vector = Self.vectors[index]
    let cipher = try AES(key: hex(vector.key))
    let (nonce, associated) = (hex(vector.nonce), hex(vector.associated))
    let sealed = AES.Sealed(bytes: hex(vector.encrypted), tag: hex(vector.tag))
    #expect(
      try cipher.seal(hex(vector.plain), nonce: nonce, associated: associated, tagCount: sealed.tag.count)
        == sealed)
    #expect(try cipher.open(sealed, nonce: nonce, associated: associated) == hex(vector.plain))
  }

  @Test("A changed bit anywhere makes bytes not authentic")
  func changed() throws {
    let vector = Self.vectors[0]
    let (key, nonce, associated) = (hex(vector.key), hex(vector.nonce), hex(vector.associated))
    let all = hex(vector.encrypted + vector.tag)
    for bit in 0..<8 * all.count {
      var bytes = all
      bytes[bit / 8] ^= 1 << (bit % 8)
      let sealed = AES.Sealed(bytes: bytes.dropLast(4), tag: bytes.suffix(4))
      #expect(throws: CipherError.notAuthentic) {
        try AES(key: key).open(sealed, nonce: nonce, associated: associated)
      }
    }
    let sealed = AES.Sealed(bytes: all.dropLast(4), tag: all.suffix(4))
    for (key, nonce, associated) in [
      (key.reversed(), nonce, associated), (key, nonce.reversed(), associated), (key, nonce, []),
    ] {
      #expect(throws: CipherError.notAuthentic) {
        try AES(key: key).open(sealed, nonce: nonce, associated: associated)
      }
    }
  }

  @Test("A message may be empty, and is authenticated all the same")
  func empty() throws {
    let cipher = try AES(key: Array(0..<16))
    let nonce = [UInt8](0..<13)
    let sealed = try cipher.seal([], nonce: nonce, tagCount: 4)
    #expect(sealed.bytes.isEmpty && sealed.tag.count == 4)
    #expect(try cipher.open(sealed, nonce: nonce) == [])
    let other = AES.Sealed(bytes: [], tag: sealed.tag.map { ~$0 })
    #expect(throws: CipherError.notAuthentic) { try cipher.open(other, nonce: nonce) }
  }

  @Test("Keys, blocks, nonces and tags of other lengths are refused")
  func lengths() throws {
    for count in [0, 15, 17, 32] {
      #expect(throws: CipherError.invalidLength) { try AES(key: [UInt8](repeating: 0, count: count)) }
    }
    let cipher = try AES(key: [UInt8](repeating: 0, count: 16))
    #expect(throws: CipherError.invalidLength) { try cipher.encrypt(block: []) }
    #expect(throws: CipherError.invalidLength) { try cipher.count([1], from: [1]) }
    for (nonce, tag) in [(6, 4), (14, 4), (13, 3), (13, 5), (13, 2), (13, 18)] {
      let nonce = [UInt8](repeating: 0, count: nonce)
      #expect(throws: CipherError.invalidLength) { try cipher.seal([1], nonce: nonce, tagCount: tag) }
    }
  }
}
