// SPDX-License-Identifier: MIT
import TestSupport
internal import Testing

@testable import BLEMeaning

@Suite("The room of an advertisement")
struct LegacyAdvertisementTests {
  private static let long = BluetoothUUID("12345678-1234-5678-1234-567812345678") ?? BluetoothUUID(short: 0)

  @Test("The sizes are those of the bytes, which are read back as they were given")
  func sizes() throws {
    let advertisement = LegacyAdvertisement(
      flags: [.generalDiscoverable, .classicNotSupported], txPower: -4,
      appearance: Appearance(rawValue: 0x0340),
      services: [
        BluetoothUUID(short: 0x180d), BluetoothUUID(0x1234_5678), Self.long, BluetoothUUID(short: 0x180f),
      ],
      data: [
        .manufacturer(0x0499, [1, 2, 3]), .service(BluetoothUUID(short: 0xfcd2), [0x40]),
        .service(Self.long, []),
      ],
      name: "Desk")
    let bytes = advertisement.structures.flatMap(\.bytes)
    #expect(bytes.count == advertisement.size)
    let read = RawAdvertisement(bytes + advertisement.scanResponse.flatMap(\.bytes))
    #expect(read.flags == advertisement.flags)
    #expect(read.txPower == -4)
    #expect(read.appearance == advertisement.appearance)
    #expect(read.localName == "Desk")
    #expect(
      read.serviceUUIDs == [
        BluetoothUUID(short: 0x180d), BluetoothUUID(short: 0x180f), BluetoothUUID(0x1234_5678), Self.long,
      ])
    #expect(read.manufacturerData.map(\.company) == [0x0499])
    #expect(read.serviceData.map(\.service) == [BluetoothUUID(short: 0xfcd2), Self.long])
    #expect(read.serviceData.map(\.data) == [[0x40], []])
    #expect(read.rest.isEmpty)
  }

  @Test("What fits exactly fits, and with a byte more all parts are named with their sizes")
  func limits() throws {
    let url = try Eddystone.url("https://12345678901234567", txPower: -18)
    var beacon = LegacyAdvertisement(
      flags: .classicNotSupported, services: url.announcedServices, data: [try url.encoded()])
    #expect(beacon.size == 31)
    #expect(beacon.excess == nil)
    beacon.appearance = Appearance(rawValue: 1)
    #expect(
      beacon.excess
        == "the advertisement has 35 bytes, and 31 fit: flags 3, appearance 4, services of 16 bits 4, service data feaa 24"
    )
    let alt = try AltBeacon(company: 0x0118, identifier: Array(1...20)).encoded()
    #expect(LegacyAdvertisement(flags: .classicNotSupported, data: [alt]).excess == nil)
    #expect(
      LegacyAdvertisement(services: [Self.long], data: [alt]).excess
        == "the advertisement has 46 bytes, and 31 fit: services of 128 bits 18, manufacturer data 0118 28")
  }

  @Test("The name has 29 bytes in the scan response, where bytes count and not letters")
  func names() {
    #expect(LegacyAdvertisement(name: String(repeating: "a", count: 29)).excess == nil)
    #expect(
      LegacyAdvertisement(name: String(repeating: "ä", count: 15)).excess
        == "the name has 30 bytes, and 29 fit")
    #expect(LegacyAdvertisement(name: "").scanResponse.isEmpty)
    #expect(LegacyAdvertisement().size == 0)
  }
}
