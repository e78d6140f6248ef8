// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Decompression")
struct InflateTests {
  private func inflate(_ hex: String, _ size: Int) throws(FirmwareError) -> [UInt8] {
    try Inflate.bytes(ArraySlice(Hex.bytes(hex) ?? []), size: size)
  }

  private static let bottles =
    "6dd3b90d02510c40c156b60082f5c5d1ce4a4b848404f42f0af893bec823dbfb76bc7fbfd7f9dddecfed38cfcf658b35e59a6a4dbda659d3"
    + "754db735ddd7f4c0a83b1ae60f0002820021600820028a0023e04838527b8023e14838128e8423e14838128e82a3e0281d141c0547c15170"
    + "141c0547c1d170341c0d47eb33e068381a8e86a3e16838068e8163e01838462f0ec7c031700c1c03c71f"

  @Test("Streams of zlib of every kind are decompressed")
  func zlib() throws {
    #expect(try inflate("0300", 0).isEmpty)
    #expect(try inflate("010b00f4ff68656c6c6f2068656c6c6f", 11) == Array("hello hello".utf8))
    #expect(try inflate("cb48cdc9c957c8409000", 17) == Array("hello hello hello".utf8))
    let text = try inflate(Self.bottles, 1190)
    #expect(CRC32.of(text) == 1_659_683_220 && text.starts(with: Array("0 bottles of beer, 1 bottles".utf8)))
  }

  @Test("A bomb is stopped at the size that the archive says")
  func bomb() {
    // A hundred thousand zeros.
    let zeros = "edc13101000000c2a0f54f6d0d0fa" + String(repeating: "0", count: 193) + "805703"
    for size in [0, 1, 99_999] {
      let result = Result { try inflate(zeros, size) }
      #expect(throws: FirmwareError("it has more than the \(size) bytes that the archive says")) {
        try result.get()
      }
    }
  }

  @Test("Streams that are too short, cut off, or followed by bytes are refused")
  func lengths() {
    let hello = "cb48cdc9c957c8409000"
    let cases = [
      (hello, 18, "it has 17 bytes, not the 18 that the archive says"),
      (String(hello.dropLast(4)), 17, "its compressed bytes are cut off"),
      (hello + "00", 17, "bytes follow its compressed ones"),
      ("", 0, "its compressed bytes are cut off"), ("010b00f4ff6865", 11, "its compressed bytes are cut off"),
    ]
    for (hex, size, reason) in cases {
      let result = Result { try inflate(hex, size) }
      #expect(throws: FirmwareError(reason)) { try result.get() }
    }
  }

  @Test(
    "Malformed streams are refused",
    arguments: [
      ("07", "a block of no kind"), ("010b00f5ff00", "a block"), ("fdff0300", "too many codes"),
      // A distance before the start, as the first symbol behind a literal.
      ("63801300", "they lead before their start"),
      // All lengths of the code for lengths are 0.
      ("04000000", "a code"),
    ])
  func malformed(_ hex: String, _ reason: String) {
    let result = Result { try inflate(hex, 300) }
    #expect(throws: FirmwareError("its compressed bytes are malformed: \(reason)")) { try result.get() }
  }

  @Test("Every flipped bit of a stream gives other bytes or an error, and never more than the size")
  func flipped() throws {
    let stream = try #require(Hex.bytes(Self.bottles))
    let whole = try Inflate.bytes(stream[...], size: 1190)
    for bit in 0..<(8 * stream.count) {
      var damaged = stream
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      if let bytes = try? Inflate.bytes(damaged[...], size: 1190) {
        #expect(bytes.count == 1190 && (bytes != whole || bit / 8 == stream.count - 1))
      }
    }
  }
}
