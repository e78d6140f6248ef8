// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BlueZClient

@Suite("ATTError")
struct ATTErrorTests {
  @Test(
    "A code is described by its number and its name",
    arguments: [
      (UInt8(0x01), "ATT 0x01 invalid handle"), (0x02, "ATT 0x02 read not permitted"),
      (0x03, "ATT 0x03 write not permitted"), (0x05, "ATT 0x05 insufficient authentication"),
      (0x06, "ATT 0x06 request not supported"), (0x07, "ATT 0x07 invalid offset"),
      (0x08, "ATT 0x08 insufficient authorization"), (0x0a, "ATT 0x0a attribute not found"),
      (0x0b, "ATT 0x0b attribute not long"), (0x0c, "ATT 0x0c encryption key size too short"),
      (0x0d, "ATT 0x0d invalid attribute value length"), (0x0e, "ATT 0x0e unlikely error"),
      (0x0f, "ATT 0x0f insufficient encryption"), (0x11, "ATT 0x11 insufficient resources"),
      (0x12, "ATT 0x12 database out of sync"), (0x13, "ATT 0x13 value not allowed"),
      (0x14, "ATT 0x14 reserved error"), (0x00, "ATT 0x00 reserved error"),
      (0x80, "ATT 0x80 application error"),
      (0x9f, "ATT 0x9f application error"), (0xa0, "ATT 0xa0 reserved error"),
      (0xe0, "ATT 0xe0 common profile error"), (0xfc, "ATT 0xfc write request rejected"),
      (0xff, "ATT 0xff out of range"),
    ])
  func descriptions(code: UInt8, text: String) {
    #expect(ATTError(code: code).description == text)
  }

  @Test("The constants are their codes")
  func constants() {
    #expect(ATTError.readNotPermitted.name == "read not permitted")
    #expect(ATTError.invalidOffset.name == "invalid offset")
    #expect(ATTError.unlikelyError.name == "unlikely error")
    #expect(ATTError.insufficientEncryption.name == "insufficient encryption")
    #expect(ATTError.invalidAttributeValueLength.name == "invalid attribute value length")
  }
}

@Suite("CharacteristicProperties")
struct CharacteristicPropertiesTests {
  @Test(
    "Each property has the bit of the specification and the word of BlueZ",
    arguments: [
      (CharacteristicProperties.broadcast, UInt16(0x01), "broadcast"), (.read, 0x02, "read"),
      (.writeWithoutResponse, 0x04, "write-without-response"), (.write, 0x08, "write"),
      (.notify, 0x10, "notify"),
      (.indicate, 0x20, "indicate"), (.authenticatedSignedWrites, 0x40, "authenticated-signed-writes"),
      (.extendedProperties, 0x80, "extended-properties"), (.reliableWrite, 0x100, "reliable-write"),
      (.writableAuxiliaries, 0x200, "writable-auxiliaries"),
    ])
  func bits(property: CharacteristicProperties, bit: UInt16, word: String) {
    #expect(property.rawValue == bit)
    #expect(property.names == [word])
    #expect(CharacteristicProperties(flag: word) == property)
  }

  @Test("The words come in one order, whatever order they were given in")
  func order() {
    let properties = CharacteristicProperties(flags: [
      "indicate", "broadcast", "write", "read", "encrypt-read",
    ])
    #expect(properties.rawValue == 0x2b)
    #expect(properties.names == ["read", "write", "indicate", "broadcast"])
    #expect(properties.description == "read, write, indicate, broadcast")
  }

  @Test(
    "Words that are not properties are refused",
    arguments: ["", "Read", "rea", "reads", "encrypt-read", "write-"])
  func refused(word: String) {
    #expect(CharacteristicProperties(flag: word) == nil)
  }

  @Test("Every sum of bits survives its words")
  func roundTrip() {
    for sum in UInt16(0)..<0x400 {
      let properties = CharacteristicProperties(rawValue: sum)
      #expect(CharacteristicProperties(flags: properties.names) == properties)
    }
  }
}

@Suite("TimestampFormat")
struct TimestampFormatTests {
  @Test(
    "UTC has the form of RFC 3339",
    arguments: [
      (0, 0, "1970-01-01T00:00:00.000000Z"), (1_493_094_881, 876_974_999, "2017-04-25T04:34:41.876974Z"),
      (951_782_400, 1000, "2000-02-29T00:00:00.000001Z"), (4_107_542_399, 999, "2100-02-28T23:59:59.000000Z"),
      (4_107_542_400, 0, "2100-03-01T00:00:00.000000Z"), (-1, 999_999_999, "1969-12-31T23:59:59.999999Z"),
      (253_402_300_799, 0, "9999-12-31T23:59:59.000000Z"), (-86_401, 0, "1969-12-30T23:59:59.000000Z"),
    ])
  func utc(seconds: Int, nanoseconds: Int, text: String) {
    #expect(TimestampFormat.utc(seconds: seconds, nanoseconds: nanoseconds) == text)
    // From another moment of the same second.
    for other in [0, 123_456_789, 999_999_999] {
      var line: [UInt8] = []
      TimestampFormat.append(seconds: seconds, nanoseconds: other, to: &line)
      TimestampFormat.replaceFraction(inUTC: &line, nanoseconds: nanoseconds)
      #expect(String(decoding: line, as: UTF8.self) == text)
    }
  }

  @Test(
    "The local form has a space and the offset",
    arguments: [
      (28_800, "2017-04-25 12:34:41.876974+0800"), (0, "2017-04-25 04:34:41.876974+0000"),
      (-12_600, "2017-04-25 01:04:41.876974-0330"), (20_700, "2017-04-25 10:19:41.876974+0545"),
      (-36_000, "2017-04-24 18:34:41.876974-1000"),
    ])
  func local(offset: Int, text: String) {
    #expect(
      TimestampFormat.local(seconds: 1_493_094_881, nanoseconds: 876_974_000, offset: offset) == text)
  }

  @Test("The time zone of the process is the one of the C library")
  func zone() {
    var moment = time_t(1_493_094_881)
    var fields = tm()
    localtime_r(&moment, &fields)
    #expect(TimestampFormat.localOffset(at: moment) == fields.tm_gmtoff)
    #expect(
      TimestampFormat.local(seconds: moment, nanoseconds: 0)
        == TimestampFormat.local(seconds: moment, nanoseconds: 0, offset: fields.tm_gmtoff))
  }

  @Test("Any moment agrees with the C library")
  func agrees() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<2000 {
      let seconds = Int.random(in: -2_208_988_800...253_402_300_799, using: &random)
      var moment = time_t(seconds)
      var fields = tm()
      gmtime_r(&moment, &fields)
      var buffer = [CChar](repeating: 0, count: 32)
      let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &fields)
      let expected = buffer.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
      #expect(TimestampFormat.utc(seconds: seconds, nanoseconds: 5_000) == expected + ".000005Z")
    }
  }

  @Test("An out-of-range time keeps its column width", arguments: [Int64.max / 2, Int64.min / 2])
  func unreasonable(seconds: Int64) {
    #expect(TimestampFormat.utc(seconds: Int(seconds), nanoseconds: 0).utf8.count == 27)
  }
}
