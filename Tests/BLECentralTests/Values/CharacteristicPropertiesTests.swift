// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@Suite("CharacteristicProperties")
struct CharacteristicPropertiesTests {
  @Test(
    "each property has the bit of the specification and the word of BlueZ",
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

  @Test("the words come in one order, whatever order they were given in")
  func order() {
    let properties = CharacteristicProperties(flags: [
      "indicate", "broadcast", "write", "read", "encrypt-read",
    ])
    #expect(properties.rawValue == 0x2b)
    #expect(properties.names == ["read", "write", "indicate", "broadcast"])
    #expect(properties.description == "read, write, indicate, broadcast")
  }

  @Test(
    "words that are not properties are refused",
    arguments: ["", "Read", "rea", "reads", "encrypt-read", "write-"])
  func refused(word: String) {
    #expect(CharacteristicProperties(flag: word) == nil)
  }

  @Test("every sum of bits survives its words")
  func roundTrip() {
    for sum in UInt16(0)..<0x400 {
      let properties = CharacteristicProperties(rawValue: sum)
      #expect(CharacteristicProperties(flags: properties.names) == properties)
    }
  }
}
