// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@testable import BlectlCommands

@Suite("CharacteristicArgument")
struct CharacteristicArgumentTests {
  private struct Characteristic: CharacteristicCandidate, Equatable {
    var service: BluetoothUUID
    var uuid: BluetoothUUID
    var handle: UInt16

    init(_ service: UInt16, _ uuid: UInt16, _ handle: UInt16) {
      (self.service, self.uuid, self.handle) = (
        BluetoothUUID(short: service), BluetoothUUID(short: uuid), handle
      )
    }
  }

  private let tree = [
    Characteristic(0x180d, 0x2a37, 0x10), Characteristic(0x180d, 0x2a38, 0x12),
    Characteristic(1, 0xf10f, 0x2a),
    Characteristic(1, 0xf10f, 0x2c), Characteristic(2, 0xf10f, 0x12f),
  ]

  @Test(
    "a characteristic is found by UUID, by service and UUID, or by handle",
    arguments: [
      ("2a37", [UInt16(0x10)]), ("0x2A37", [0x10]), ("00002a37-0000-1000-8000-00805f9b34fb", [0x10]),
      ("180d/2a38", [0x12]), ("180D/00002a38-0000-1000-8000-00805f9b34fb", [0x12]),
      ("heart-rate-measurement", [0x10]), ("Heart Rate/Body Sensor Location", [0x12]),
      ("180d/heart_rate_measurement", [0x10]), ("heart-rate/2a38", [0x12]),
      ("f10f", [0x2a, 0x2c, 0x12f]),
      ("0001/f10f", [0x2a, 0x2c]), ("0002/f10f", [0x12f]), ("@002c", [0x2c]), ("@2C", [0x2c]),
      ("@0x012f", [0x12f]),
      ("@0099", []), ("2a39", []), ("180d/f10f", []),
    ])
  func meanings(text: String, handles: [UInt16]) throws {
    let selection = try CharacteristicArgument(parsing: text).select(from: tree)
    #expect(selection == Selection(tree.filter { handles.contains($0.handle) }))
  }

  @Test(
    "a text that names none is refused with the part that is wrong",
    arguments: [
      (
        "heart-rate",
        "'heart-rate' is not a UUID or the name of a characteristic, but that of a service: 180d"
      ),
      (
        "180d/hart-rate-measurement",
        "'hart-rate-measurement' is not a UUID or the name of a characteristic; did you mean heart-rate-measurement?"
      ),
      ("x/2a37", "'x' is not a UUID or the name of a service"),
      ("", "'' is not a UUID or the name of a characteristic"),
      ("180d/", "'' is not a UUID or the name of a characteristic"),
      ("180d/2a37/2902", "'180d/2a37/2902' is not a characteristic; use CHAR or SERVICE/CHAR"),
      ("@", "'@' is not a handle; use @ and up to four hexadecimal digits, such as @002a"),
      ("@0000", "'@0000' is not a handle; use @ and up to four hexadecimal digits, such as @002a"),
      ("@12345", "'@12345' is not a handle; use @ and up to four hexadecimal digits, such as @002a"),
      ("@+1", "'@+1' is not a handle; use @ and up to four hexadecimal digits, such as @002a"),
    ])
  func refused(text: String, message: String) {
    let error = #expect(throws: ArgumentError.self) { try CharacteristicArgument(parsing: text) }
    #expect(error?.description == message)
  }

  @Test("a candidate and an argument print so that they can be typed again")
  func labels() throws {
    #expect(tree[4].label == "0002/f10f @012f")
    for text in ["2a37", "180d/2a37", "@012f"] {
      #expect(try CharacteristicArgument(parsing: text).description == text)
    }
  }

  @Test("addresses and UUIDs are refused by name")
  func identifiers() {
    let uuid = #expect(throws: ArgumentError.self) { try BluetoothUUID(parsing: "180") }
    #expect(uuid?.description == "'180' is not a UUID or the name of one")
    let several = #expect(throws: ArgumentError.self) { try BluetoothUUID(parsingService: "Google LLC") }
    #expect(several?.description.hasPrefix("'Google LLC' names several UUIDs") == true)
    let address = #expect(throws: ArgumentError.self) { try BluetoothAddress(parsing: "F0") }
    #expect(address?.description == "'F0' is not a Bluetooth address")
  }
}
