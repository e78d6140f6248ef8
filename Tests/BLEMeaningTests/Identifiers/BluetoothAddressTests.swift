// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEMeaning

@Suite("BluetoothAddress")
struct BluetoothAddressTests {
  @Test(
    "an address is read in any case, with colons or dashes",
    arguments: ["F0:F1:F2:F3:F4:F5", "f0:f1:f2:f3:f4:f5", "F0-F1-F2-F3-F4-F5", "f0-F1-f2-F3-f4-F5"])
  func spellings(text: String) {
    #expect(BluetoothAddress(text)?.description == "F0:F1:F2:F3:F4:F5")
  }

  @Test(
    "what is not an address is refused",
    arguments: [
      "", "F0", "F0F1F2F3F4F5", "F0:F1:F2:F3:F4", "F0:F1:F2:F3:F4:F5:F6", "F0:F1:F2:F3:F4:F",
      "F0:F1-F2:F3:F4:F5",
      "F0_F1_F2_F3_F4_F5", "G0:F1:F2:F3:F4:F5", " F0:F1:F2:F3:F4:F5", "F0:F1:F2:F3:F4:F5 ",
      "F:0F1:F2:F3:F4:F5",
      ":::::::::::::::::",
    ])
  func refused(text: String) {
    #expect(BluetoothAddress(text) == nil)
  }

  @Test("an object path has underscores")
  func underscores() {
    var path = "F0_F1_F2_F3_F4_F5"
    let address = path.withUTF8 {
      BluetoothAddress(utf8: UnsafeRawBufferPointer($0), separator: UInt8(ascii: "_"))
    }
    #expect(address?.spelled(separator: UInt8(ascii: "_")) == path)
    #expect(address == BluetoothAddress("f0:f1:f2:f3:f4:f5"))
  }

  @Test("random addresses survive their text and their bytes, and sort like their texts")
  func roundTrip() {
    var random = SeededGenerator(seed: 3)
    let addresses = (0..<300).map { _ in
      BluetoothAddress(bits: UInt64.random(in: 0..<1 << 48, using: &random))
    }
    for address in addresses {
      #expect(BluetoothAddress(address.description) == address)
      #expect(BluetoothAddress(bytes: address.bytes) == address)
    }
    #expect(addresses.sorted().map(\.description) == addresses.map(\.description).sorted())
    #expect(BluetoothAddress(bytes: [1, 2, 3]) == nil)
  }

  @Test("the kinds of address have BlueZ's words")
  func addressTypes() {
    #expect(AddressType(rawValue: "public") == .public)
    #expect(AddressType(rawValue: "random") == .random)
    #expect(AddressType(rawValue: "other") == nil)
  }
}
