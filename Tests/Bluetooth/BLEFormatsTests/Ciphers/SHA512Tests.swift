// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("SHA-512 and SHA-384")
struct SHA512Tests {
  @Test(
    "The digests are those of FIPS 180-4",
    arguments: [
      (
        "",
        "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
      ),
      (
        "abc",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039",
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
      ),
    ])
  func vectors(_ text: String, _ short: String, _ long: String) throws {
    #expect(Hex.string(try SHA512.shortDigest(of: Array(text.utf8))) == short)
    #expect(Hex.string(try SHA512.digest(of: Array(text.utf8))) == long)
  }

  @Test(
    "Lengths around those of a block have the digests that Python computes",
    arguments: [
      (111, "fa9121c7b32b9e01"), (112, "c01d080efd492776"), (127, "828613968b501dc0"),
      (128, "b73d1929aa615934"), (129, "4f681e0bd53cda4b"), (1000, "67ba5535a46e3f86"),
    ] as [(Int, String)])
  func lengths(_ count: Int, _ start: String) throws {
    let digest = try SHA512.digest(of: [UInt8](repeating: 0x61, count: count))
    #expect(Hex.string(digest).hasPrefix(start))
  }
}
