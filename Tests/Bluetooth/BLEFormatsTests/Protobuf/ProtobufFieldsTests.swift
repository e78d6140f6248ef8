// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats

@Suite("Messages that are read in Protocol Buffers")
struct ProtobufFieldsTests {
  @Test(
    "Numbers are read with seven bits in a byte, the lowest first",
    arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 48 - 1, .max] as [UInt64])
  func numbers(number: UInt64) throws {
    let fields = try ProtobufFields(ProtobufField.encode([.number(1, number)])[...])
    #expect(fields.number(1) == number)
    let packed = ProtobufField.varint(number) + ProtobufField.varint(7)
    #expect(try ProtobufReader.packedNumbers(packed[...]) == [number, 7])
  }

  @Test("Invalid UTF-8 is repaired when a text is read")
  func texts() throws {
    let fields = try ProtobufFields(ProtobufField.encode([.data(1, [0x61, 0xff])])[...])
    #expect(fields.string(1) == "a\u{fffd}")
  }

  @Test("A missing field is told from an empty one, and a malformed message is none")
  func presence() throws {
    let fields = try ProtobufFields(
      ProtobufField.encode([.number(1, 0), .data(2, []), .data(3, [0x08]), .message(4, .number(1, 5))])[...])
    #expect(fields.numberIfPresent(1) == 0 && fields.numberIfPresent(2) == nil)
    #expect(fields.dataIfPresent(2)?.isEmpty == true && fields.dataIfPresent(1) == nil)
    #expect(fields.message(2) != nil && fields.message(3) == nil && fields.message(5) == nil)
    #expect(fields.message(4)?.number(1) == 5)
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
