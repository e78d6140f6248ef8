// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

@Suite("BluetoothAddress")
struct BluetoothAddressTests {
  @Test(
    "An address is read in any case, with colons or dashes",
    arguments: ["F0:F1:F2:F3:F4:F5", "f0:f1:f2:f3:f4:f5", "F0-F1-F2-F3-F4-F5", "f0-F1-f2-F3-f4-F5"])
  func spellings(text: String) {
    #expect(BluetoothAddress(text)?.description == "F0:F1:F2:F3:F4:F5")
  }

  @Test(
    "Text that is not an address is refused",
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

  @Test("An object path has underscores")
  func underscores() {
    var path = "F0_F1_F2_F3_F4_F5"
    let address = path.withUTF8 {
      BluetoothAddress(utf8: UnsafeRawBufferPointer($0), separator: UInt8(ascii: "_"))
    }
    #expect(address?.spelled(separator: UInt8(ascii: "_")) == path)
    #expect(address == BluetoothAddress("f0:f1:f2:f3:f4:f5"))
  }

  @Test("Random addresses survive their text and their bytes, and sort like their texts")
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

  @Test("The kinds of address have BlueZ's words")
  func addressTypes() {
    #expect(AddressType(rawValue: "public") == .public)
    #expect(AddressType(rawValue: "random") == .random)
    #expect(AddressType(rawValue: "other") == nil)
  }
}

@Suite("BluetoothUUID")
struct BluetoothUUIDTests {
  static let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
  static let bench = "b1ec0101-5c0e-4b1e-a5d2-6b2f0c7e91aa"

  @Test(
    "One UUID has many spellings",
    arguments: [
      ("180d", heartRate), ("180D", heartRate), ("0x180D", heartRate), ("0X180d", heartRate),
      ("0000180d", heartRate), ("0x0000180D", heartRate), (heartRate, heartRate),
      (heartRate.uppercased(), heartRate), ("0000180d00001000800000805f9b34fb", heartRate),
      ("0x0000180d-0000-1000-8000-00805f9b34fb", heartRate), (bench, bench), (bench.uppercased(), bench),
      ("B1EC01015C0E4B1EA5D26B2F0C7E91AA", bench), ("0x" + bench, bench),
      ("12345678", "12345678-0000-1000-8000-00805f9b34fb"),
    ])
  func spellings(text: String, longForm: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.longForm == longForm)
    #expect(uuid == BluetoothUUID(longForm))
    #expect(uuid.hashValue == BluetoothUUID(longForm)?.hashValue)
  }

  @Test(
    "Text that is not a UUID is refused",
    arguments: [
      "", "0", "0x", "180", "0x18", "180d0", "180g", " 180d", "180d ", "-180d", "18-0d", "0x0x180d",
      "heart-rate",
      "0000180d-0000-1000-8000-00805f9b34f", "0000180d-0000-1000-8000-00805f9b34fbb",
      "0000180d00001000-8000-00805f9b34fb", "0000180d0-000-1000-8000-00805f9b34fb",
      "0000180d-0000-1000-8000_00805f9b34fb", "------------------------------------", "1\u{0}0d", "180\u{e9}",
    ])
  func refused(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test(
    "The description is the shortest spelling",
    arguments: [
      (BluetoothUUID(short: 0x180d), "180d", UInt32(0x180d)), (BluetoothUUID(0x2a), "002a", 0x2a),
      (BluetoothUUID(0x12_3456), "00123456", 0x12_3456), (BluetoothUUID(.max), "ffffffff", .max),
    ])
  func description(uuid: BluetoothUUID, text: String, short: UInt32) {
    #expect(uuid.description == text)
    #expect(uuid.shortForm == short)
  }

  @Test("A UUID outside the Bluetooth base has no short form")
  func noShortForm() throws {
    for text in [Self.bench, "0000180d-0000-1000-8000-00805f9b34fc", "0000180d-0001-1000-8000-00805f9b34fb"] {
      let uuid = try #require(BluetoothUUID(text))
      #expect(uuid.shortForm == nil)
      #expect(uuid.description == text)
    }
  }

  @Test("A piece of a longer text is read without its neighbours")
  func substring() {
    #expect(BluetoothUUID("180d/2a37".prefix(4)) == .heartRate)
    #expect(BluetoothUUID("180d/2a37".dropFirst(5)) == .heartRateMeasurement)
  }

  @Test("Sixteen bytes are in the order of the text")
  func bytes() throws {
    let uuid = try #require(BluetoothUUID(bytes: 0...15))
    #expect(uuid.longForm == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    #expect(uuid.bytes == Array(0...15))
    #expect(BluetoothUUID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
    #expect(BluetoothUUID(bytes: [UInt8](repeating: 0, count: 17)) == nil)
  }

  @Test("Every spelling of random UUIDs reads back as the same UUID")
  func roundTrip() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let uuid = BluetoothUUID(bits: UInt128.random(in: 0...UInt128.max, using: &random))
      #expect(BluetoothUUID(uuid.longForm) == uuid)
      #expect(BluetoothUUID(uuid.description) == uuid)
      #expect(BluetoothUUID(bytes: uuid.bytes) == uuid)
      let short = BluetoothUUID(UInt32.random(in: 0...UInt32.max, using: &random))
      #expect(BluetoothUUID(short.description) == short)
      #expect(short.shortForm.map(BluetoothUUID.init(_:)) == short)
    }
  }

  @Test("A UUID can be any argument of an asynchronous function")
  func argumentOfAsynchronousFunction() async {
    // The registers hold five of the arguments before it, so that a UUID of one 128-bit integer would be passed on the stack.
    func pass(
      _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ uuid: BluetoothUUID, _ f: Int, _ g: Int
    ) async -> (Int, BluetoothUUID) {
      await Task.yield()
      return (a + b + c + d + e + f + g, uuid)
    }
    #expect(MemoryLayout<BluetoothUUID>.alignment == MemoryLayout<UInt64>.alignment)
    guard MemoryLayout<BluetoothUUID>.alignment == MemoryLayout<UInt64>.alignment else { return }
    let (sum, uuid) = await pass(1, 2, 3, 4, 5, .heartRate, 6, 7)
    #expect(sum == 28)
    #expect(uuid == .heartRate)
  }

  @Test("The order is that of the long forms")
  func order() {
    var random = SeededGenerator(seed: 2)
    let uuids = (0..<100).map { _ in BluetoothUUID(bits: UInt128.random(in: 0...UInt128.max, using: &random))
    }
    #expect(uuids.sorted().map(\.longForm) == uuids.map(\.longForm).sorted())
  }

  @Test(
    "The named UUIDs are the assigned numbers",
    arguments: [
      (BluetoothUUID.heartRate, "180d"), (.heartRateMeasurement, "2a37"), (.batteryService, "180f"),
      (.batteryLevel, "2a19"), (.deviceInformation, "180a"), (.softwareRevision, "2a28"),
      (.clientCharacteristicConfiguration, "2902"), (.characteristicUserDescription, "2901"),
    ])
  func names(uuid: BluetoothUUID, text: String) {
    #expect(uuid.description == text)
  }

  @Test("The long form is read alike in both cases, whatever one character is", arguments: 0..<36)
  func longForms(position: Int) {
    let long = Array("0000180d-0000-1000-8000-00805f9b34fb")
    for character in "0f-g" {
      var other = long
      other[position] = character
      let text = String(other)
      let uuid = BluetoothUUID(text)
      #expect(uuid == BluetoothUUID(text.uppercased()))
      #expect(uuid.map(\.longForm) == (uuid == nil ? nil : text))
      #expect((uuid == nil) == (character == "g" || (character == "-") != (long[position] == "-")))
    }
  }
}
