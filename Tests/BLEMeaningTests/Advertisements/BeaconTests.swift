// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Testing

/// The bytes of hexadecimal digits.
func hex(_ digits: String) -> [UInt8] { Hex.bytes(digits.replacing(" ", with: "")) ?? [] }

@Suite("Beacons")
struct BeaconTests {
  @Test("An iBeacon contains its owner, its number, and its strength at one metre")
  func iBeacon() throws {
    // The frame of Apple's Proximity Beacon Specification, with the UUID of its AirLocate example.
    let data = hex("0215 e2c56db5dffb48d2b060d0f5a71096e0 0001 0002 c5")
    let beacon = try #require(AdvertisedFormats.decode(company: 0x004c, data: data) as? IBeacon)
    #expect(beacon.uuid.description == "e2c56db5-dffb-48d2-b060-d0f5a71096e0")
    #expect((beacon.major, beacon.minor, beacon.measuredPower) == (1, 2, -59))
    #expect(beacon.rssiAtOneMetre == -59)
    #expect(beacon.fields["rssi_at_1m_dbm"] == .integer(-59))
    #expect(beacon.text == "iBeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0, major 1, minor 2, at 1 m -59 dBm")
    #expect(IBeacon(data: Array(data.dropLast())) == nil)
    #expect(AdvertisedFormats.decode(company: 0x0059, data: data) == nil)
  }

  @Test("An AltBeacon may be any company's")
  func altBeacon() throws {
    // AltBeacon Protocol Specification v1.0: code BEAC, 20 bytes of identifier, strength, a reserved byte.
    let data = hex("beac 0102030405060708090a0b0c0d0e0f1011121314 b3 2a")
    let beacon = try #require(AdvertisedFormats.decode(company: 0x0118, data: data) as? AltBeacon)
    #expect(beacon.identifier == Array(1...20))
    #expect((beacon.company, beacon.referenceRSSI, beacon.reserved) == (0x0118, -77, 0x2a))
    #expect(AltBeacon(company: 0x0118, data: Array(data.dropLast())) == nil)
    #expect(AltBeacon(company: 0x0118, data: data + [0]) == nil)
  }

  private static let frames: [(frame: String, type: String, text: String)] = [
    // Eddystone-UID: the ranging data is the power at 0 m.
    (
      "00ee 000102030405060708090a0b0c0d0e0f 0000", "eddystone-uid",
      "Eddystone-UID 00010203040506070809, 0a0b0c0d0e0f, at 0 m -18 dBm"
    ),
    (
      "00ee 000102030405060708090a0b0c0d0e0f", "eddystone-uid",
      "Eddystone-UID 00010203040506070809, 0a0b0c0d0e0f, at 0 m -18 dBm"
    ),
    // Eddystone-URL: prefix 03 is https://, 07 is .com.
    ("10ee 03 6578616d706c65 07", "eddystone-url", "Eddystone-URL https://example.com, at 0 m -18 dBm"),
    ("10f8 00 676f6f 00 61", "eddystone-url", "Eddystone-URL http://www.goo.com/a, at 0 m -8 dBm"),
    ("10f8 02 61 0d", "eddystone-url", "Eddystone-URL http://a.gov, at 0 m -8 dBm"),
    // Eddystone-TLM: 3000 mV, 25.5 degrees in 8.8 fixed point, a thousand advertisements, two minutes.
    (
      "2000 0bb8 1980 000003e8 000004b0", "eddystone-tlm",
      "Eddystone-TLM battery 3000 mV, 25.500 °C, advertisements 1000, up 120.0 s"
    ),
    ("2000 0000 8000 00000001 00000002", "eddystone-tlm", "Eddystone-TLM advertisements 1, up 0.2 s"),
    (
      "2000 0001 ff80 00000001 00000002", "eddystone-tlm",
      "Eddystone-TLM battery 1 mV, -0.500 °C, advertisements 1, up 0.2 s"
    ),
    (
      "2001 0102030405060708090a0b0c 0d0e 0f10", "eddystone-etlm",
      "Eddystone-TLM (encrypted) 0102030405060708090a0b0c0d0e0f10"
    ),
    ("30f1 0102030405060708", "eddystone-eid", "Eddystone-EID 0102030405060708, at 0 m -15 dBm"),
  ]

  @Test("Every frame of Eddystone is understood", arguments: frames.indices)
  func eddystone(_ index: Int) throws {
    let (frame, type, text) = Self.frames[index]
    let format = try #require(
      AdvertisedFormats.decode(service: BluetoothUUID(short: 0xfeaa), data: hex(frame)))
    #expect(format.type == type)
    #expect(format.text == text)
  }

  @Test("The strength of an Eddystone at one metre is 41 dB below that at none")
  func eddystonePower() {
    #expect(Eddystone(data: hex("10ee036107"))?.rssiAtOneMetre == -59)
    #expect(Eddystone(data: hex("20000bb8198000000000" + "00000000"))?.rssiAtOneMetre == nil)
  }

  @Test(
    "What is no whole frame of Eddystone is not one",
    arguments: [
      "", "00", "00ee0001020304050607080910111213", "10", "10ee", "10ee04", "10ee0320", "10ee037f",
      "10ee030e",
      "20", "2002", "20000bb8", "2001010203", "30f101020304050607", "40ee", "ff",
    ])
  func brokenEddystone(_ frame: String) {
    #expect(Eddystone(data: hex(frame)) == nil)
  }
}
