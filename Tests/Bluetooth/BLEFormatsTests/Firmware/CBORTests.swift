// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("CBOR")
struct CBORTests {
  /// From appendix A of RFC 8949, as far as the values are written in the shortest form.
  private static let vectors: [(String, CBORValue)] = [
    ("00", 0), ("17", 23), ("1818", 24), ("1903e8", 1000), ("1a000f4240", 1_000_000),
    ("1b000000e8d4a51000", 1_000_000_000_000), ("1bffffffffffffffff", .unsigned(.max)), ("20", -1),
    ("3863", -100),
    ("3903e7", -1000), ("3bffffffffffffffff", .negative(.max)), ("f90000", .float(0)),
    ("f93e00", .float(1.5)),
    ("f97bff", .float(65504)), ("f90001", .float(5.960464477539063e-8)), ("fa47c35000", .float(100_000)),
    ("fb3ff199999999999a", .float(1.1)), ("f97c00", .float(.infinity)), ("f9fc00", .float(-.infinity)),
    ("f4", false), ("f5", true), ("f6", .null), ("f7", .undefined), ("40", .bytes([])),
    ("4401020304", .bytes([1, 2, 3, 4])), ("60", ""), ("6161", "a"), ("62c3bc", "ü"), ("64f0908591", "𐅑"),
    ("80", []),
    ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]), ("a0", [:]),
    ("a201020304", [1: 2, 3: 4]),
    ("a26161016162820203", ["a": 1, "b": [2, 3]]),
    ("d818456449455446", .tagged(24, .bytes([0x64, 0x49, 0x45, 0x54, 0x46]))),
    ("c11a514b67b0", .tagged(1, 1_363_896_240)),
  ]

  @Test("Values of RFC 8949 are decoded, and encoded to the same bytes", arguments: vectors.indices)
  func appendix(_ index: Int) throws {
    let (hex, value) = Self.vectors[index]
    let bytes = try #require(Hex.bytes(hex))
    #expect(try CBORValue(decoding: bytes) == value)
    #expect(Hex.string(value.encoded) == hex)
  }

  @Test(
    "Numbers and lengths of any width, and items without a length, are read",
    arguments: [
      ("1b0000000000000005", "05"), ("190005", "05"), ("5b000000000000000201ff", "4201ff"),
      ("fb3ff8000000000000", "f93e00"),
      ("5f42010243030405ff", "450102030405"), ("7f657374726561646d696e67ff", "6973747265616d696e67"),
      ("9fff", "80"),
      ("9f018202039f0405ffff", "8301820203820405"), ("bf61610161629f0203ffff", "a26161016162820203"),
      ("b90001616101", "a1616101"), ("5fff", "40"),
    ])
  func lenient(_ given: String, _ shortest: String) throws {
    let bytes = try #require(Hex.bytes(given))
    #expect(Hex.string(try CBORValue(decoding: bytes).encoded) == shortest)
  }

  @Test(
    "Malformed bytes are refused with the reason",
    arguments: [
      ("", "the bytes end within a value"), ("18", "the bytes end within a value"),
      ("62c3", "a length of 2, with 1 byte left"), ("62c328", "a text is not UTF-8"),
      ("0000", "1 byte left behind the value"), ("1c", "the byte 1c has no meaning"),
      ("ff", "an end mark where a value should begin"),
      ("1f", "a number has no end"), ("df00", "a number has no end"),
      ("9f01", "the bytes end within a value"),
      ("bf6161ff", "an end mark where a value should begin"),
      ("5f6161ff", "a part of a text or of bytes is something else"),
      ("5f5f4101ffff", "a part of a text or of bytes is something else"),
      ("f800", "the simple value 0 has no meaning"),
      ("e0", "the simple value 0 has no meaning"),
      ("5bffffffffffffffff00", "a length of 18446744073709551615, with 1 byte left"),
      ("9bffffffffffffffff00", "an array of 18446744073709551615 values, with 1 byte left"),
      ("bb7fffffffffffffff0000", "a map of 9223372036854775807 keys, with 2 bytes left"),
      ("9affffffff00", "an array of 4294967295 values, with 1 byte left"),
    ])
  func malformed(_ hex: String, _ reason: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(throws: CBORError(reason)) { try CBORValue(decoding: bytes) }
  }

  @Test(
    "Sixteen values within each other are read, and one more is refused",
    arguments: [0x81, 0x9f, 0xc1] as [UInt8])
  func depth(_ opening: UInt8) throws {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: opening, count: depth) + [0]
        + [UInt8](repeating: 0xff, count: opening == 0x9f ? depth : 0)
    }
    _ = try CBORValue(decoding: nested(16))
    #expect(throws: CBORError("more than 16 values within each other")) {
      try CBORValue(decoding: nested(17))
    }
  }

  @Test("A hundred thousand opening brackets are refused without recursion")
  func bomb() {
    let bytes = [UInt8](repeating: 0x9f, count: 100_000)
    #expect(throws: CBORError("more than 16 values within each other")) { try CBORValue(decoding: bytes) }
  }

  @Test("More values than the largest message has are refused")
  func count() {
    let bytes = [0x9f] + [UInt8](repeating: 0, count: 70_000) + [0xff]
    #expect(throws: CBORError("more than 65536 values")) { try CBORValue(decoding: bytes) }
  }

  @Test("A number keeps its value as an Int, unless it is too large")
  func integers() {
    for number in [0, 1, -1, 255, -256, .max, .min] {
      #expect(CBORValue(number).int == number)
    }
    #expect(CBORValue.unsigned(.max).int == nil)
    #expect(CBORValue.negative(.max).int == nil)
    #expect(CBORValue(.min) == .negative(UInt64(Int.max)))
  }

  @Test("A map keeps its order, replaces and removes values, and gives the first of two")
  func map() throws {
    var map: CBORMap = ["off": 5, "data": .bytes([1])]
    map["off"] = 6
    map["sha"] = .bytes([2])
    map["data"] = nil
    #expect(map == ["off": 6, "sha": .bytes([2])])
    #expect(Hex.string(CBORValue.map(map).encoded) == "a2636f666606637368614102")
    let twice = try CBORValue(decoding: [0xa2, 0x61, 0x61, 1, 0x61, 0x61, 2]).map
    #expect(twice?["a"] == 1 && twice?.entries.count == 2)
  }
}
