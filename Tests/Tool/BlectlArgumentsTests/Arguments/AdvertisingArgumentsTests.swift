// SPDX-License-Identifier: MIT
import BLEFormats
import TestSupport
import Testing

@testable import BlectlArguments

@Suite("Arguments of advertise")
struct AdvertisingArgumentsTests {
  private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

  /// The texts of what some arguments mean.
  private func beacons(
    _ texts: [String], _ parse: (String) throws -> any AdvertisedFormat
  ) rethrows -> [String] {
    try texts.map { try parse($0).text }
  }

  @Test("Beacons are read with and without their strength")
  func strengths() throws {
    #expect(
      try beacons(["\(Self.uuid),1,0xFF", "\(Self.uuid),1,255,-70"], IBeacon.init(parsing:)) == [
        "iBeacon \(Self.uuid), major 1, minor 255, at 1 m -59 dBm",
        "iBeacon \(Self.uuid), major 1, minor 255, at 1 m -70 dBm",
      ])
    let digits = Self.uuid.replacing("-", with: "") + "000100ff"
    #expect(
      try beacons(
        ["\(Self.uuid),1,255", digits, "0xffff:\(digits),-70", "ffff:\(Self.uuid),1,255,-70"],
        AltBeacon.init(parsing:)) == [
          "AltBeacon \(digits), at 1 m -59 dBm, reserved 0",
          "AltBeacon \(digits), at 1 m -59 dBm, reserved 0",
          "AltBeacon \(digits), at 1 m -70 dBm, reserved 0",
          "AltBeacon \(digits), at 1 m -70 dBm, reserved 0",
        ])
    #expect(try AltBeacon(parsing: digits).company == 0x0118)
    #expect(try AltBeacon(parsing: "ffff:\(digits)").company == 0xffff)
    #expect(
      try beacons(
        ["00010203040506070809,0a0b0c0d0e0f", "0x00010203040506070809,0a:0b:0c:0d:0e:0f,-5"],
        Eddystone.init(parsingUID:)) == [
          "Eddystone-UID 00010203040506070809, 0a0b0c0d0e0f, at 0 m -18 dBm",
          "Eddystone-UID 00010203040506070809, 0a0b0c0d0e0f, at 0 m -5 dBm",
        ])
  }

  @Test("Data has an owner before the colon")
  func data() throws {
    #expect(try AdvertisedData(parsingManufacturer: "4C:02:15") == .manufacturer(0x004c, [0x02, 0x15]))
    #expect(try AdvertisedData(parsingManufacturer: "0xffff:") == .manufacturer(0xffff, []))
    #expect(
      try AdvertisedData(parsingService: "battery:50") == .service(BluetoothUUID(short: 0x180f), [0x50]))
    let uuid = try #require(BluetoothUUID(Self.uuid))
    #expect(try AdvertisedData(parsingService: "\(Self.uuid):0x0102") == .service(uuid, [1, 2]))
  }

  private static let mistakes: [(parse: @Sendable (String) throws -> Any, text: String, error: String)] = [
    ({ try IBeacon(parsing: $0) }, "x", "'x' is not UUID,MAJOR,MINOR or UUID,MAJOR,MINOR,POWER"),
    ({ try IBeacon(parsing: $0) }, "x,1,2", "'x' is not a UUID"),
    ({ try IBeacon(parsing: $0) }, "\(uuid),-1,2", "'-1' is not a major number; use 0 to 65535"),
    ({ try IBeacon(parsing: $0) }, "\(uuid),1,65536", "'65536' is not a minor number; use 0 to 65535"),
    ({ try IBeacon(parsing: $0) }, "\(uuid),1,", "'' is not a minor number; use 0 to 65535"),
    ({ try IBeacon(parsing: $0) }, "\(uuid),1,2,21", "'21' is not a strength in dBm; use -127 to 20"),
    (
      { try AltBeacon(parsing: $0) }, "0102",
      "'0102' has the wrong size; the identifier of an AltBeacon has 20 bytes, in 40 digits"
    ),
    ({ try AltBeacon(parsing: $0) }, "010", "'010' has an odd number of hexadecimal digits"),
    (
      { try AltBeacon(parsing: $0) }, "1,2,3,4,5",
      "'1,2,3,4,5' is not ID, ID,POWER, UUID,MAJOR,MINOR or UUID,MAJOR,MINOR,POWER"
    ),
    (
      { try AltBeacon(parsing: $0) }, "12345:01",
      "'12345' is not a company identifier; write up to four hexadecimal digits, such as 004c, or a name"
    ),
    ({ try Eddystone(parsingUID: $0) }, "01", "'01' is not NAMESPACE,INSTANCE or NAMESPACE,INSTANCE,POWER"),
    (
      { try Eddystone(parsingUID: $0) }, "01,02",
      "'01' has the wrong size; the namespace of Eddystone-UID has 10 bytes, in 20 digits"
    ),
    ({ try Eddystone(parsingUID: $0) }, "xy,02", "'xy' is not hexadecimal"),
    (
      { try Eddystone(parsingURL: $0) }, "https://ö\u{1b}.de",
      #"'https://ö\u{1b}.de' contains a character that must be written as %C3%B6"#
    ),
    (
      { try BTHome(parsingArgument: $0) }, "a\u{1b}", #"'a\u{1b}' is not KEY=VALUE, such as temperature=21.5"#
    ),
    ({ try AdvertisedData(parsingManufacturer: $0) }, "004c", "'004c' is not ID:HEX, such as 004c:0215"),
    (
      { try AdvertisedData(parsingManufacturer: $0) }, "004c:1", "'1' has an odd number of hexadecimal digits"
    ),
    ({ try AdvertisedData(parsingService: $0) }, ":01", "':01' is not UUID:HEX, such as 181a:0102"),
  ]

  @Test("A company is a number, its name, or a part of the name of only one")
  func company() throws {
    #expect(try UInt16(parsingCompany: "0499") == 0x0499)
    #expect(try UInt16(parsingCompany: "ruuvi") == 0x0499)
    #expect(try UInt16(parsingCompany: "Apple, Inc.") == 0x004c)
    #expect(throws: ArgumentError.self) { try UInt16(parsingCompany: "electronics") }
  }

  @Test("The error names the wrong part, without harm to a terminal", arguments: mistakes.indices)
  func mistake(_ index: Int) {
    let (parse, text, message) = Self.mistakes[index]
    let error = #expect(throws: ArgumentError.self) { try parse(text) }
    #expect(error?.description == message)
  }
}
