// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@testable import BlectlArguments

@Suite("DeviceArgument")
struct DeviceArgumentTests {
  private struct Device: DeviceCandidate, Equatable {
    var address: BluetoothAddress
    var name: String?
    var rssi: Int?

    /// The device with an address that ends so.
    init(_ last: UInt8, _ name: String?, _ rssi: Int? = nil) throws {
      address = try #require(BluetoothAddress(bytes: [0xf0, 0, 0, 0, 0, last]))
      self.name = name
      self.rssi = rssi
    }
  }

  private let devices: [Device]

  init() throws {
    devices = try [
      Device(1, "MI Band 2", -70), Device(2, "MI Band 20", -50), Device(3, "mi band 2", -40),
      Device(4, nil, -30),
      Device(5, "Piano"), Device(6, "Thermo [1]", -60), Device(7, "Grand piano", -60),
    ]
  }

  @Test(
    "The exact name comes before a pattern, and a pattern before a part of the name",
    arguments: [
      ("MI Band 2", [UInt8(1)]), ("mi band 2", [3]), ("MI Band 20", [2]), ("MI Band*", [1, 2]),
      ("*Band ?", [1]),
      ("*[Bb]and 2", [1, 3]), ("MI BAND 20", [2]), ("MI BAND", [1, 2, 3]), ("Piano", [5]), ("piano", [5, 7]),
      ("Thermo [1]", [6]), ("thermo", [6]), ("Band", [1, 2, 3]), ("*", [1, 2, 3, 5, 6, 7]), ("Trumpet", []),
      ("[", [6]), ("F0:00:00:00:00:04", [4]), ("f0-00-00-00-00-01", [1]), ("F0:00:00:00:00:99", []),
      ("f00000000004", [4]), ("F00000000099", []),
    ])
  func meanings(text: String, expected: [UInt8]) throws {
    let selection = try DeviceArgument(parsing: text).select(from: devices)
    #expect(
      selection == Selection(devices.filter { device in expected.contains { device.address.bytes[5] == $0 } })
    )
  }

  @Test(
    "One of several devices is picked: the strongest, or the first",
    arguments: [
      ("MI Band*", PickRule.strongest, UInt8(2)), ("MI Band*", .first, 1), ("piano", .strongest, 7),
      ("piano", .first, 5), ("MI Band 2", .strongest, 1),
    ])
  func picks(text: String, pick: PickRule, expected: UInt8) throws {
    let selection = try DeviceArgument(parsing: text).select(from: devices, pick: pick)
    guard case .one(let device) = selection else {
      Issue.record("\(selection)")
      return
    }
    #expect(device.address.bytes[5] == expected)
  }

  @Test("Nothing is picked from nothing, and equals stay in their order")
  func pickEdges() throws {
    let argument = try DeviceArgument(parsing: "x")
    #expect(argument.select(from: devices, pick: .strongest) == .none)
    #expect(argument.select(from: [Device](), pick: .first) == .none)
    let unheard = try [Device(1, "x"), Device(2, "x")]
    #expect(argument.select(from: unheard, pick: .strongest) == .one(unheard[0]))
    #expect(argument.select(from: unheard) == .many(unheard))
  }

  @Test(
    "A pattern matches the whole name, and a hostile name is only a name",
    arguments: [
      ("Band", "Band\u{0}X", NamePattern.Rank.part as NamePattern.Rank?), ("B*", "Band", .pattern),
      ("b*", "Band", nil), ("Band", "Band", .exact), ("é", "e\u{301}", .exact), ("É", "café", .part),
      ("漢*", "漢字", .pattern), ("x", "", nil), ("*", "\u{1b}[2J\n", .pattern), ("B*", "Ba\u{0}nd", .pattern),
      ("\\*", "*", .pattern), ("longer than the name", "name", nil),
    ])
  func ranks(text: String, name: String, rank: NamePattern.Rank?) {
    #expect(NamePattern(text).rank(of: name) == rank)
  }

  @Test(
    "Two words exclude each other if no device can have both",
    arguments: [
      ("Freezer", "Garden", true), ("Freezer", "freezer 2", false), ("FREEZER 2", "freezer", false),
      ("Fr*", "Garden", false), ("Freezer", "F0:00:00:00:00:01", false), ("Freezer", "f00000000001", false),
      ("F0:00:00:00:00:01", "F0:00:00:00:00:02", true), ("F0:00:00:00:00:01", "f0-00-00-00-00-01", false),
      // The private address of the device with the identity.
      ("52:00:00:00:00:01", "F0:00:00:00:00:02", false),
    ])
  func exclusion(left: String, right: String, expected: Bool) throws {
    let (left, right) = (try DeviceArgument(parsing: left), try DeviceArgument(parsing: right))
    #expect(left.excludes(right) == expected)
    #expect(right.excludes(left) == expected)
  }

  @Test("An empty text is not a device, and a device prints as it was typed")
  func texts() throws {
    #expect(throws: ArgumentError.self) { try DeviceArgument(parsing: "") }
    #expect(try DeviceArgument(parsing: "f0-00-00-00-00-01").description == "F0:00:00:00:00:01")
    #expect(try DeviceArgument(parsing: "MI*").description == "MI*")
  }

  @Test(
    "A mistyped address is not a name",
    arguments: [
      ("F0:F1:F2:F3:F4", false), ("FO:F1:F2:F3:F4:F5", false), ("F0:F1:F2:F3:F4:F5:F6", false),
      ("F0:F1:F2:F3:F4:F", false), ("a:b:c:d:e:f", true),
      ("12:34", true), ("C0:FF:EE", true), ("F0:F1:F2:F3:*", true), ("Lamp:1:2:3:4", true),
      ("éé:F1:F2:F3:F4", true),
    ])
  func mistyped(text: String, isName: Bool) {
    let device = try? DeviceArgument(parsing: text)
    #expect((device != nil) == isName)
  }
}

@Suite("CharacteristicArgument")
struct CharacteristicArgumentTests {
  private struct Characteristic: CharacteristicCandidate, Equatable {
    var service: BluetoothUUID
    var uuid: BluetoothUUID
    var handle: UInt16

    init(_ service: UInt16, _ uuid: UInt16, _ handle: UInt16) {
      self.init(service, BluetoothUUID(short: uuid), handle)
    }

    init(_ service: UInt16, _ uuid: BluetoothUUID, _ handle: UInt16) {
      (self.service, self.uuid, self.handle) = (BluetoothUUID(short: service), uuid, handle)
    }
  }

  private let tree = [
    Characteristic(0x180d, 0x2a37, 0x10), Characteristic(0x180d, 0x2a38, 0x12),
    Characteristic(1, 0xf10f, 0x2a),
    Characteristic(1, 0xf10f, 0x2c), Characteristic(2, 0xf10f, 0x12f),
  ]

  @Test(
    "A characteristic is found by UUID, by service and UUID, or by handle",
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
    "Eight digits of a UUID of 128 bits, or more, are enough if only one begins with them",
    arguments: [
      ("ac3e0002", [UInt16(0x20)]), ("AC3E0002-00", [0x20]), ("ac3e0001", [0x22, 0x24]),
      ("ac3e0001-0000", [0x22]), ("ac3e0003", []), ("00002a37-0000", [0x10]), ("ac3e0004", [0x26]),
      ("00000006", [0x2e]), ("0006", []), ("0000f10f", [0x2a, 0x2c, 0x12f]), ("00002a37", [0x10]),
    ])
  func beginnings(text: String, handles: [UInt16]) throws {
    let long = try [
      ("ac3e0002-0000-4000-8000-000000000000", 0x20), ("ac3e0001-0000-4000-8000-000000000000", 0x22),
      ("ac3e0001-0001-4000-8000-000000000000", 0x24), ("ac3e0004-0000-4000-8000-000000000000", 0x28),
      ("ac3e0004", 0x26), ("00000006-0000-3512-2118-0009af100700", 0x2e),
      ("0000f10f-0000-3512-2118-0009af100700", 0x30), ("00002a37-0001-3512-2118-0009af100700", 0x32),
    ].map { Characteristic(1, try #require(BluetoothUUID($0)), UInt16($1)) }
    let selection = try CharacteristicArgument(parsing: text).select(from: tree + long)
    #expect(selection == Selection((tree + long).filter { handles.contains($0.handle) }))
  }

  @Test(
    "In SERVICE/CHAR, the beginning of either UUID is enough",
    arguments: [
      ("7a1c0001/7a1c0005", [UInt16(0x40)]), ("7a1c0001-4b6e/2a37", [0x44]), ("180d/7a1c0005-4b", [0x42]),
      ("7a1c0002/2a37", []),
    ])
  func beginningsInServices(text: String, handles: [UInt16]) throws {
    let own = try #require(BluetoothUUID("7a1c0001-4b6e-4d0a-9f21-0c5e8a7b1200"))
    let charge = try #require(BluetoothUUID("7a1c0005-4b6e-4d0a-9f21-0c5e8a7b1200"))
    var long = [Characteristic(0x180d, charge, 0x40), Characteristic(0x180d, charge, 0x42)]
    long[0].service = own
    long.append(Characteristic(0x180d, BluetoothUUID(short: 0x2a37), 0x44))
    long[2].service = own
    let selection = try CharacteristicArgument(parsing: text).select(from: tree + long)
    #expect(selection == Selection(long.filter { handles.contains($0.handle) }))
  }

  @Test("A service that devices advertise is a whole UUID")
  func advertisedServices() throws {
    #expect(try BluetoothUUID(parsingAdvertisedService: "0000180d") == BluetoothUUID(short: 0x180d))
    #expect(try BluetoothUUID(parsingAdvertisedService: "heart-rate") == BluetoothUUID(short: 0x180d))
    for text in ["7a1c0001", "7a1c0001-4b6e"] {
      let error = #expect(throws: ArgumentError.self) {
        try BluetoothUUID(parsingAdvertisedService: text)
      }
      #expect(
        error?.description
          == "'\(text)' is only the beginning of a UUID, which no profile completes; write all of its 32 digits"
      )
    }
  }

  @Test(
    "A text that names none is refused with the part that is wrong",
    arguments: [
      (
        "heart-rate",
        "'heart-rate' is not a UUID or the name of a characteristic, but that of a service: 180d; "
          + "did you mean heart-rate-measurement, or heart-rate-control-point, or heart-rate-max?"
      ),
      (
        "180d/hart-rate-measurement",
        "'hart-rate-measurement' is not a UUID or the name of a characteristic; did you mean heart-rate-measurement?"
      ),
      ("ac3e0", "'ac3e0' is not a UUID; of a long one, write the first eight digits, or all"),
      ("AC3E000", "'AC3E000' is not a UUID; of a long one, write the first eight digits, or all"),
      ("ac3e0002-zz", "'ac3e0002-zz' is not a UUID or the name of a characteristic"),
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

  @Test("A candidate and an argument print so that they can be typed again")
  func labels() throws {
    #expect(tree[4].label == "0002/f10f @012f")
    for text in ["2a37", "180d/2a37", "@012f", "00000006", "ac3e0002-00"] {
      #expect(try CharacteristicArgument(parsing: text).description == text)
    }
  }

  @Test("Addresses and UUIDs are refused by name")
  func identifiers() {
    let uuid = #expect(throws: ArgumentError.self) { try BluetoothUUID(parsing: "180") }
    #expect(
      uuid?.description == "'180' is not a UUID or the name of one; a UUID has 4, 8 or 32 hexadecimal digits")
    let several = #expect(throws: ArgumentError.self) { try BluetoothUUID(parsingService: "Google LLC") }
    #expect(several?.description.hasPrefix("'Google LLC' names several UUIDs") == true)
    let address = #expect(throws: ArgumentError.self) { try BluetoothAddress(parsing: "F0") }
    #expect(address?.description == "'F0' is not a Bluetooth address")
  }
}
