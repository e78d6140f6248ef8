// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("Messages that are written in Protocol Buffers")
struct ProtobufWriterTests {
  private func written(_ body: (inout ProtobufWriter) -> Void) -> String {
    var writer = ProtobufWriter()
    body(&writer)
    return Hex.string(writer.bytes)
  }

  @Test("Zero, false and empty are not written, but as elements of a list")
  func zero() {
    let nothing = written {
      $0.number(1, 0)
      $0.bool(2, false)
      $0.signed(3, 0)
      $0.zigzag(4, 0)
      $0.string(5, "")
      $0.data(6, [])
    }
    #expect(nothing == "")
    let elements = written {
      $0.element(1, 0)
      $0.message(2, [])
    }
    #expect(elements == "08001200")
  }

  @Test(
    "A negative int32 takes ten bytes",
    arguments: [
      (-1, "18ffffffffffffffffff01"), (.min, "1880808080f8ffffffff01"), (133, "188501"),
      (.max, "18ffffffff07"),
    ] as [(Int32, String)])
  func negative(number: Int32, digits: String) {
    let bytes = written { $0.signed(3, number) }
    #expect(bytes == digits)
  }

  @Test(
    "A negative sint32 takes as few bytes as a positive one",
    arguments: [(-60, "1077"), (60, "1078"), (.min, "10ffffffff0f"), (.max, "10feffffff0f")]
      as [(Int32, String)])
  func zigzag(number: Int32, digits: String) {
    let bytes = written { $0.zigzag(2, number) }
    #expect(bytes == digits)
  }

  @Test(
    "Numbers are written with seven bits in a byte, the lowest first",
    arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 48 - 1, .max] as [UInt64])
  func numbers(number: UInt64) {
    var writer = ProtobufWriter()
    writer.varint(number)
    #expect(writer.bytes == ProtobufField.varint(number))
  }

  @Test("Texts are written as UTF-8")
  func texts() {
    let bytes = written { $0.string(13, "Dachboden Süd") }
    #expect(bytes == "6a0e" + Hex.string(Array("Dachboden Süd".utf8)))
  }
}
