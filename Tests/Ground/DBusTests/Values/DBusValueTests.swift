// SPDX-License-Identifier: MIT
import DBus
import Testing

@Suite("DBusValue")
struct DBusValueTests {
  @Test(
    "Every value knows its signature",
    arguments: zip(
      SampleBodies.everyType,
      [
        "y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g", "ay", "an", "a{uas}", "(yx)", "v",
      ]))
  func signatures(value: DBusValue, signature: String) { #expect(value.typeSignature == signature) }

  @Test("Empty containers keep the type of what they do not hold")
  func emptyContainers() {
    #expect(DBusValue.strings([]).typeSignature == "as")
    #expect(DBusValue.objectPaths([]).typeSignature == "ao")
    #expect(DBusValue.properties([]).typeSignature == "a{sv}")
    #expect(DBusValue.array(of: "(sa{sv})", []).typeSignature == "a(sa{sv})")
    #expect(DBusValue.strings([]) != DBusValue.objectPaths([]))
  }

  @Test("Strings, object paths and signatures are text, nothing else is")
  func text() {
    #expect(DBusValue.string("a").text == "a")
    #expect(DBusValue.objectPath("/a").text == "/a")
    #expect(DBusValue.signature("s").text == "s")
    #expect(DBusValue.bytes([65]).text == nil)
    #expect(DBusValue.variant(.string("a")).text == nil)
  }

  @Test("Variants are unwrapped, however deep")
  func unwrapped() {
    #expect(DBusValue.variant(.variant(.byte(1))).unwrapped == .byte(1))
    #expect(DBusValue.byte(1).unwrapped == .byte(1))
  }

  @Test("A property is found by its key, out of its variant")
  func properties() {
    let properties = DBusValue.properties([("Name", .string("x")), ("RSSI", .int16(-40))])
    #expect(properties["RSSI"] == .int16(-40))
    #expect(properties["TxPower"] == nil)
    #expect(DBusValue.byte(1)["RSSI"] == nil)
  }
}
