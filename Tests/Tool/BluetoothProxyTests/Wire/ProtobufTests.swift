// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("Protocol Buffers")
struct ProtobufTests {
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
    "Numbers have seven bits in a byte, the lowest first",
    arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 48 - 1, .max] as [UInt64])
  func numbers(number: UInt64) throws {
    var writer = ProtobufWriter()
    writer.varint(number)
    #expect(writer.bytes == ProtobufField.varint(number))
    let fields = try ProtobufFields(([8] + writer.bytes)[...])
    #expect(fields.number(1) == number)
  }

  @Test("Texts are UTF-8, and invalid ones are repaired when read")
  func texts() throws {
    let bytes = written { $0.string(13, "Dachboden Süd") }
    #expect(bytes == "6a0e" + Hex.string(Array("Dachboden Süd".utf8)))
    let fields = try ProtobufFields(ProtobufField.encode([.data(1, [0x61, 0xff])])[...])
    #expect(fields.string(1) == "a\u{fffd}")
  }

  @Test("Fields that are not known are skipped, whatever their type")
  func unknown() throws {
    let fields = try ProtobufFields(
      ProtobufField.encode([
        .fixed32(1, [1, 2, 3, 4]), .fixed64(15, [1, 2, 3, 4, 5, 6, 7, 8]), .number(16, 9), .data(900, [1]),
        .number(1 << 29 - 1, 1), .number(2, 7),
      ])[...])
    #expect(fields.number(2) == 7)
    #expect(fields.number(1) == 0)
  }

  @Test("Of a field that comes twice, the last one counts; one of another type is as if missing")
  func repeated() throws {
    let fields = try ProtobufFields(
      ProtobufField.encode([.number(1, 5), .number(1, 6), .data(2, [1]), .number(3, 9)])[...])
    #expect(fields.number(1) == 6)
    #expect(fields.number(2) == 0)
    #expect(fields.data(2) == [1])
    #expect(fields.data(3).isEmpty)
  }

  @Test(
    "What is no message is refused",
    arguments: [
      ("a number without its end", "08ff"), ("a number of eleven bytes", "0880808080808080808080" + "01"),
      ("a number of 65 bits", "08ffffffffffffffffff02"), ("a key without a value", "08"),
      ("data that is too short", "0a0301"), ("data of nearly endless length", "0affffffffffffffffff01"),
      ("a fixed number that is too short", "0d010203"), ("a longer one", "0901020304050607"),
      ("a group", "0b0c"),
      ("a type that does not exist", "0f"), ("the field zero", "0001"),
      ("a field of 30 bits", "8080808010" + "01"),
    ])
  func malformed(what: String, digits: String) {
    #expect(throws: MalformedMessage.self, "\(what)") { try ProtobufFields(hex(digits)[...]) }
  }

  @Test("A message that is cut anywhere inside a field is refused, and touches no byte behind it")
  func cut() {
    let bytes = ProtobufField.encode([
      .number(1, 1 << 40), .data(2, Array(0..<200)), .fixed64(3, Array(0..<8)),
    ])
    let ends = [0, 7, 7 + 203, bytes.count]
    for end in 0...bytes.count {
      let isWhole = (try? ProtobufFields(bytes[..<end])) != nil
      #expect(isWhole == ends.contains(end), "cut at \(end)")
    }
  }
}
