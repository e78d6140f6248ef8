// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@testable import BlectlCommands

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
    "the exact name comes before a pattern, and a pattern before a part of the name",
    arguments: [
      ("MI Band 2", [UInt8(1)]), ("mi band 2", [3]), ("MI Band 20", [2]), ("MI Band*", [1, 2]),
      ("*Band ?", [1]),
      ("*[Bb]and 2", [1, 3]), ("MI BAND 20", [2]), ("MI BAND", [1, 2, 3]), ("Piano", [5]), ("piano", [5, 7]),
      ("Thermo [1]", [6]), ("thermo", [6]), ("Band", [1, 2, 3]), ("*", [1, 2, 3, 5, 6, 7]), ("Trumpet", []),
      ("[", [6]), ("F0:00:00:00:00:04", [4]), ("f0-00-00-00-00-01", [1]), ("F0:00:00:00:00:99", []),
    ])
  func meanings(text: String, expected: [UInt8]) throws {
    let selection = try DeviceArgument(parsing: text).select(from: devices)
    #expect(
      selection == Selection(devices.filter { device in expected.contains { device.address.bytes[5] == $0 } })
    )
  }

  @Test(
    "of several one is picked: the strongest, or the first",
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

  @Test("nothing is picked from nothing, and equals stay in their order")
  func pickEdges() throws {
    let argument = try DeviceArgument(parsing: "x")
    #expect(argument.select(from: devices, pick: .strongest) == .none)
    #expect(argument.select(from: [Device](), pick: .first) == .none)
    let unheard = try [Device(1, "x"), Device(2, "x")]
    #expect(argument.select(from: unheard, pick: .strongest) == .one(unheard[0]))
    #expect(argument.select(from: unheard) == .many(unheard))
  }

  @Test(
    "a pattern matches the whole name, and a hostile name is only a name",
    arguments: [
      ("Band", "Band\u{0}X", NamePattern.Rank.part as NamePattern.Rank?), ("B*", "Band", .pattern),
      ("b*", "Band", nil), ("Band", "Band", .exact), ("é", "e\u{301}", .exact), ("É", "café", .part),
      ("漢*", "漢字", .pattern), ("x", "", nil), ("*", "\u{1b}[2J\n", .pattern), ("B*", "Ba\u{0}nd", .pattern),
      ("\\*", "*", .pattern), ("longer than the name", "name", nil),
    ])
  func ranks(text: String, name: String, rank: NamePattern.Rank?) {
    #expect(NamePattern(text).rank(of: name) == rank)
  }

  @Test("no text is no device, and a device prints as it was typed")
  func texts() throws {
    #expect(throws: ArgumentError.self) { try DeviceArgument(parsing: "") }
    #expect(try DeviceArgument(parsing: "f0-00-00-00-00-01").description == "F0:00:00:00:00:01")
    #expect(try DeviceArgument(parsing: "MI*").description == "MI*")
  }
}
