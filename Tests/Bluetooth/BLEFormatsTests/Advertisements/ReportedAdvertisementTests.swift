// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Advertisements made of reports")
struct ReportedAdvertisementTests {
  private let vendor = BluetoothUUID("b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa")

  private func bytes(
    flags: [UInt8]? = nil, data: [AdvertisedData] = [], services: [BluetoothUUID] = [], txPower: Int? = nil,
    name: String? = nil, appearance: UInt16? = nil, others: [UInt8: [UInt8]] = [:]
  ) -> String {
    Hex.string(
      RawAdvertisement.bytes(
        flags: flags, data: data, services: services, txPower: txPower, name: name, appearance: appearance,
        others: others))
  }

  @Test("The data of a service stands before the name")
  func sensor() throws {
    let data = try #require(Hex.bytes("40002a016402ca0903bf13"))
    #expect(
      bytes(data: [.service(BluetoothUUID(short: 0xfcd2), data)], name: "Garden")
        == "0e16d2fc40002a016402ca0903bf13070947617264656e")
  }

  @Test("Each service has a structure of its own")
  func services() throws {
    #expect(
      bytes(
        flags: [6], services: [BluetoothUUID(short: 0x180d), try #require(vendor)], txPower: -4,
        name: "Heart Strap", appearance: 833)
        == "02010603030d181107aa917e0c2f6bd2a51e4b0e5c0100ecb1020afc0c09486561727420537472617003194103")
    #expect(
      bytes(services: [BluetoothUUID(short: 0x180d), BluetoothUUID(short: 0x180f)]) == "03030d1803030f18")
  }

  @Test("The data of a company stands behind its identifier")
  func beacon() throws {
    let data = try #require(Hex.bytes("0215e2c56db5dffb48d2b060d0f5a71096e000010002c5"))
    #expect(
      bytes(flags: [6], data: [.manufacturer(76, data)])
        == "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
  }

  @Test("UUIDs have the shortest form there is")
  func lengths() throws {
    let other = try #require(BluetoothUUID("b1ec0009-5c0e-4b1e-a5d2-6b2f0c7e91aa"))
    #expect(
      bytes(
        data: [.service(BluetoothUUID(0x1234_5678), [0x61, 0x62]), .service(other, [1, 2])],
        services: [BluetoothUUID(0x1234_5678)])
        == "07207856341261621321aa917e0c2f6bd2a51e4b0e5c0900ecb10102050578563412")
  }

  @Test("Flags of zero, an empty name and a transmission power of no byte are left out")
  func nothing() {
    #expect(bytes() == "")
    #expect(bytes(flags: [0], txPower: 200, name: "") == "")
    #expect(bytes(flags: [], txPower: -128) == "020a80")
  }

  @Test("Data without bytes is kept")
  func empty() {
    #expect(bytes(data: [.manufacturer(0x0102, []), .service(.batteryService, [])]) == "03ff020103160f18")
  }

  @Test("What BlueZ does not interpret is appended, by type")
  func others() {
    #expect(bytes(name: "A", others: [0x30: [0x42], 0x1b: [1, 2]]) == "020941" + "031b0102" + "023042")
  }

  @Test("A structure has 254 bytes of data; a longer one is left out")
  func longest() {
    let full = [UInt8](repeating: 7, count: 252)
    #expect(bytes(data: [.manufacturer(1, full)]) == "ffff0100" + Hex.string(full))
    #expect(bytes(data: [.manufacturer(1, full + [7])], name: "A") == "020941")
  }

  @Test("A long name is cut at a character")
  func cut() {
    let name = String(repeating: "x", count: 247) + "é"
    #expect(bytes(name: name) == "f809" + Hex.string([UInt8](repeating: 0x78, count: 247)))
    let combined = "a" + String(repeating: "\u{301}", count: 200)
    #expect(bytes(name: combined).hasPrefix("f80961cc81"))
  }

  @Test("They are read as what they were made of")
  func reading() throws {
    let data: [AdvertisedData] = [.manufacturer(76, [1, 2]), .service(try #require(vendor), [3])]
    let services = [BluetoothUUID(short: 0x180d), BluetoothUUID(0x1234_5678), try #require(vendor)]
    let raw = RawAdvertisement(
      RawAdvertisement.bytes(
        flags: [6], data: data, services: services, txPower: -70, name: "Küche", appearance: 0x0341))
    #expect(raw.serviceUUIDs == services)
    #expect(raw.context.data == data)
    #expect(raw.localName == "Küche")
    #expect(raw.txPower == -70)
    #expect(raw.appearance?.rawValue == 0x0341)
    #expect(raw.flags?.rawValue == 6)
    #expect(raw.rest.isEmpty)
  }
}
