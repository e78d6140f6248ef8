// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats

@Suite("Raw advertisements")
struct RawAdvertisementTests {
  @Test("Every part is found, whatever its length")
  func parts() {
    let raw = RawAdvertisement(
      hex("020106 03030d18 0319 4103 020a04 0c094865617274205374726170 0716 1a18 01020304 05ff57010102 0000"))
    #expect(raw.flags == [.generalDiscoverable, .classicNotSupported])
    #expect(raw.serviceUUIDs == [.heartRate])
    #expect(raw.appearance?.name == "Heart Rate Belt")
    #expect(raw.txPower == 4)
    #expect(raw.localName == "Heart Strap")
    #expect(raw.serviceData.map(\.service) == [BluetoothUUID(short: 0x181a)])
    #expect(raw.serviceData.map(\.data) == [[1, 2, 3, 4]])
    #expect(raw.manufacturerData.map(\.company) == [0x0157])
    #expect(raw.manufacturerData.map(\.data) == [[1, 2]])
    #expect(raw.rest.isEmpty)
    #expect(raw.fields.isComplete)
  }

  @Test("UUIDs of 32 and 128 bits are read too, and formats are recognised behind them")
  func longUUIDs() {
    let long = "9ecadc240ee5a9e093f3a3b50100406e"
    let raw = RawAdvertisement(hex("1107" + long + "0505 78563412 0620 aafe0000 30"))
    #expect(raw.serviceUUIDs.map(\.name) == ["Nordic UART Service", nil])
    #expect(raw.serviceUUIDs.last == BluetoothUUID(0x1234_5678))
    #expect(raw.serviceData.map(\.service) == [BluetoothUUID(short: 0xfeaa)])
    let beacon = RawAdvertisement(hex("0716aafe10ee0361 1bff1801beac") + Array(repeating: 7, count: 22))
    #expect(beacon.formats.map(\.type) == ["altbeacon", "eddystone-url"])
  }

  @Test("A part longer than what is left ends the reading, and is shown")
  func truncated() {
    let raw = RawAdvertisement(hex("020106 0509 4142"))
    #expect(raw.flags != nil)
    #expect(raw.localName == nil)
    #expect(raw.rest == hex("05094142"))
    #expect(raw.fields.problems == ["the last part is longer than the rest"])
    let ended = RawAdvertisement(hex("00 020106"))
    #expect(ended.fields.problems == ["bytes follow the end, a length of 0"])
    #expect(ended.rest == hex("00020106"))
  }

  /// Advertisements with parts of the wrong length: Kotlin-BLE-Library #315, arduino-esp32 #12805.
  private static let damagedParts: [(data: String, text: String)] = [
    ("02ff4c", "Manufacturer Specific Data: 4c (1 byte missing in Manufacturer Specific Data)"),
    (
      "020106 02ff4c",
      "flags le-general-discoverable, br-edr-not-supported, Manufacturer Specific Data: 4c "
        + "(1 byte missing in Manufacturer Specific Data)"
    ),
    (
      "04030d180f",
      "services Heart Rate, Complete List of 16-bit Service or Service Class UUIDs: 0f "
        + "(1 byte missing in Complete List of 16-bit Service or Service Class UUIDs)"
    ),
    ("0216d2", "Service Data - 16-bit UUID: d2 (1 byte missing in Service Data - 16-bit UUID)"),
    (
      "0521aabbccdd",
      "Service Data - 128-bit UUID: aabbccdd (12 bytes missing in Service Data - 128-bit UUID)"
    ),
    ("010a", "Tx Power Level:  (1 byte missing in Tx Power Level)"),
    ("0101", "Flags:  (1 byte missing in Flags)"),
    ("03010607", "flags le-general-discoverable, br-edr-not-supported, Flags: 07"),
    ("021941", "Appearance: 41 (1 byte missing in Appearance)"),
    // BlueZ takes the last of two names; the shortened one does not replace the complete one.
    ("04094f4e450409545749", "name TWI, Complete Local Name: 4f4e45"),
    ("0409545749 03084f4e", "name TWI, Shortened Local Name: 4f4e"),
  ]

  @Test("No byte of a damaged part is lost, and what is missing is named", arguments: damagedParts.indices)
  func damaged(_ index: Int) {
    let (data, text) = Self.damagedParts[index]
    #expect(RawAdvertisement(hex(data)).fields.text == text)
  }

  @Test("Every byte of an advertisement is in its fields", arguments: 0..<3)
  func complete(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let types: [UInt8] = [
      0x01, 0x02, 0x03, 0x05, 0x07, 0x08, 0x09, 0x0a, 0x16, 0x19, 0x20, 0x21, 0x30, 0x3d, 0xff,
    ]
    for _ in 0..<500 {
      let structures = (0..<4).map { _ in
        AdvertisingStructure(
          type: types.randomElement(using: &random) ?? 0xff,
          data: (0..<Int.random(in: 0...18, using: &random)).map { _ in
            UInt8.random(in: 0x61...0x7a, using: &random)
          })
      }
      let raw = RawAdvertisement(structures.flatMap(\.bytes))
      // Each structure is decoded, or stands among the others as far as it is not.
      let decoded =
        [raw.flags.map { _ in 1 }, raw.txPower.map { _ in 1 }, raw.appearance.map { _ in 2 }].compactMap(
          \.self)
        + [raw.localName, raw.broadcastName].compactMap { $0?.utf8.count }
        + raw.manufacturerData.map { 2 + $0.data.count }
      let listed = structures.reduce(0) { sum, structure in
        guard case .list(let size) = structure.content else { return sum }
        return sum + structure.data.count / size * size
      }
      let services = structures.reduce(0) { sum, structure in
        guard structure.type != 0xff, case .data(let size) = structure.content, structure.data.count >= size
        else { return sum }
        return sum + structure.data.count
      }
      let others = raw.others.reduce(0) { $0 + $1.structure.data.count }
      #expect(
        decoded.reduce(0, +) + listed + services + others == structures.reduce(0) { $0 + $1.data.count })
    }
  }

  @Test("Flags have names")
  func flags() {
    #expect(AdvertisingFlags(rawValue: 0x06).names == ["le-general-discoverable", "br-edr-not-supported"])
    #expect(
      AdvertisingFlags(rawValue: 0x99).names == [
        "le-limited-discoverable", "le-and-br-edr-controller", "le-and-br-edr-host", "bit-7",
      ])
    #expect(AdvertisingFlags([]).names.isEmpty)
  }

  @Test("No bytes make any decoder crash, and what is decoded can be shown", arguments: 0..<3)
  func anyBytes(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for count in 0...600 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let context = AdvertisedContext(
        localName: Self.names.randomElement(using: &random), services: [BluetoothUUID(short: 0xfff0)],
        data: [.service(BluetoothUUID(short: 0xfd3d), [bytes.first ?? 0])])
      _ = RawAdvertisement(bytes).fields.text
      // Bytes that look like what a decoder waits for get further into it.
      for prefix in Self.prefixes {
        let data = prefix + bytes
        _ = RawAdvertisement([UInt8(truncatingIfNeeded: data.count + 1), 0xff] + data).fields.text
        for company: UInt16 in [0x004c, 0x0006, 0x0499, 0x0118, 0x0969, 0x0ba9, 0xec88, 0x2449, 0x3254] {
          _ = AdvertisedFormats.decode(company: company, data: data, in: context)?.text
        }
        for service: UInt16 in [
          0xfeaa, 0xfcd2, 0x181a, 0x181b, 0x181d, 0x1852, 0x1856, 0xfe95, 0xfe2c, 0xfd6f, 0xfd3d, 0xfdcd,
        ] {
          _ = AdvertisedFormats.decode(service: BluetoothUUID(short: service), data: data)?.text
        }
      }
    }
  }

  private static let names = [
    "GVH5055", "GVH5184", "GV5112", "H5106", "TP357", "TP972", "TP96", "sps", "iBBQ", "ITH-11-B",
  ]

  private static let prefixes: [[UInt8]] = [
    [], [0x02, 0x15], [0xbe, 0xac], [0x10, 0x00], [0x20, 0x00], [0x40], [0x40, 0x53], [0x05], [0x03],
    [0x03, 0x00, 0x80],
  ]
}

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

  @Test("Data of exactly the limit fits, and with a byte more all parts are named with their sizes")
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
