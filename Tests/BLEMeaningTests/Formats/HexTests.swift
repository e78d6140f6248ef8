// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEMeaning

@Suite("Hex")
struct HexTests {
  @Test(
    "bytes become two lower-case digits each", arguments: [([], ""), ([0], "00"), ([0x0a, 0xFF], "0aff")])
  func string(bytes: [UInt8], text: String) {
    #expect(Hex.string(bytes) == text)
    var line = Array(">".utf8)
    Hex.append(bytes, to: &line)
    #expect(String(decoding: line, as: UTF8.self) == ">" + text)
  }

  @Test("digits of any case become bytes", arguments: [("", []), ("00", [0]), ("aAfF", [0xaa, 0xff])])
  func bytes(text: String, bytes: [UInt8]) {
    #expect(Hex.bytes(text) == bytes)
  }

  @Test(
    "what is not pairs of digits is refused", arguments: ["0", "000", "0g", "g0", "0x00", " 00", "00 ", "é"])
  func refused(text: String) {
    #expect(Hex.bytes(text) == nil)
  }

  @Test("random bytes survive")
  func roundTrip() {
    var random = SeededGenerator(seed: 10)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      #expect(Hex.bytes(Hex.string(bytes)) == bytes)
      #expect(Hex.bytes(Hex.string(bytes).uppercased()) == bytes)
    }
  }
}
