// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLEFormats

@Suite("Checksums behind bytes")
struct TrailingChecksumTests {
  /// Over the nine bytes "123456789", as catalogues of checksums have them.
  @Test(
    "Each checksum has its known value, in its order of bytes",
    arguments: [
      ("xor8", "31"), ("sum8", "dd"), ("crc8", "f4"), ("crc16-modbus", "374b"), ("crc16-modbusbe", "4b37"),
      ("crc16-ccitt", "b129"), ("crc16-ccittbe", "29b1"), ("crc32", "2639f4cb"), ("crc32be", "cbf43926"),
    ])
  func known(word: String, hex: String) throws {
    let checksum = try #require(TrailingChecksum(word: word))
    #expect(checksum.word == word)
    #expect(Hex.string(checksum.bytes(of: "123456789".utf8)) == hex)
  }

  @Test("Behind typed digits, the word of a checksum stands for its bytes")
  func typed() throws {
    #expect(try Hex.string(TrailingChecksum.typed("33 01 01 xor8")) == "33010133")
    #expect(try Hex.string(TrailingChecksum.typed("f03d")) == "f03d")
    let alone = #expect(throws: FormatError.self) { try TrailingChecksum.typed(" xor8") }
    #expect(alone?.description == "'xor8' is a checksum of the bytes before it, and there are none")
    #expect(throws: FormatError.self) { try TrailingChecksum.typed("33 crc16") }
  }

  @Test("A layout writes the checksum of what stands before it")
  func written() throws {
    let layout = try ValueLayout(compact: "head=hex[2] on=bool xor8 tail=u8")
    #expect(try Hex.string(layout.encode("head=3301 on=yes tail=5")) == "3301013305")
    #expect(layout.keys == ["head", "on", "tail"])
    #expect(throws: FormatError.self) { try ValueLayout(compact: "check=xor8") }
    #expect(throws: FormatError.self) { try ValueLayout(compact: "a=u8 xor8[2]") }
  }
}
