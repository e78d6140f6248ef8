// SPDX-License-Identifier: MIT
import TestSupport
internal import Testing

@testable internal import BLEFormats

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
    "An incomplete frame of Eddystone is not decoded",
    arguments: [
      "", "00", "00ee0001020304050607080910111213", "10", "10ee", "10ee04", "10ee0320", "10ee037f",
      "10ee030e",
      "20", "2002", "20000bb8", "2001010203", "30f101020304050607", "40ee", "ff",
    ])
  func brokenEddystone(_ frame: String) {
    #expect(Eddystone(data: hex(frame)) == nil)
  }
}

@Suite("Encoding beacons")
struct BeaconEncodingTests {
  private static let owner = BluetoothUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0") ?? BluetoothUUID(short: 0)

  @Test("The frames of the specifications are made from their values")
  func vectors() throws {
    let beacon = IBeacon(uuid: Self.owner, major: 1, minor: 0x0203)
    #expect(
      beacon.encoded() == .manufacturer(0x004c, hex("0215 e2c56db5dffb48d2b060d0f5a71096e0 0001 0203 c5")))
    let alt = try AltBeacon(company: 0x0118, identifier: Array(1...20), referenceRSSI: -77, reserved: 0x2a)
    #expect(
      alt.encoded() == .manufacturer(0x0118, hex("beac 0102030405060708090a0b0c0d0e0f1011121314 b3 2a")))
    let frames: [(Eddystone, String)] = [
      (
        .uid(namespace: Array(0...9), instance: Array(10...15), txPower: -18),
        "00ee 000102030405060708090a0b0c0d0e0f 0000"
      ),
      (.url("https://example.com", txPower: -18), "10ee 03 6578616d706c65 07"),
      (.url("http://www.goo.com/a", txPower: -8), "10f8 00 676f6f 00 61"),
      (.url("http://a.gov", txPower: -8), "10f8 02 61 0d"),
      (.url("https://www.example.info/", txPower: 0), "1000 01 6578616d706c65 04"),
      (
        .telemetry(.init(battery: 3000, temperature: 0x1980, advertisements: 1000, uptime: 1200)),
        "2000 0bb8 1980 000003e8 000004b0"
      ),
      (
        .telemetry(.init(battery: nil, temperature: nil, advertisements: 1, uptime: 2)),
        "2000 0000 8000 00000001 00000002"
      ),
      (.encryptedTelemetry(Array(1...16)), "2001 0102030405060708090a0b0c0d0e0f10"),
      (.ephemeralIdentifier(Array(1...8), txPower: -15), "30f1 0102030405060708"),
    ]
    for (frame, data) in frames {
      let encoded = try frame.encoded()
      #expect(encoded == .service(BluetoothUUID(short: 0xfeaa), hex(data)))
      #expect(AdvertisedFormats.decode(encoded) as? Eddystone == frame)
      #expect(frame.announcedServices == [Eddystone.service])
    }
  }

  private static let mistakes: [(frame: Eddystone, error: String)] = [
    (.url("example.com", txPower: 0), "'example.com' does not begin with http:// or https://"),
    (.url("ftp://a.de", txPower: 0), "'ftp://a.de' does not begin with http:// or https://"),
    (.url("https://", txPower: 0), "'https://' has nothing behind https://"),
    (.url("https://www.", txPower: 0), "'https://www.' has nothing behind https://www."),
    (.url("https://a b", txPower: 0), "'https://a b' contains a character that must be written as %20"),
    (
      .url("https://ö.de", txPower: 0), "'https://ö.de' contains a character that must be written as %C3%B6"
    ),
    (.url("https://123456789012345.com/7", txPower: 0), ""),
    (
      .url("https://1234567890123456.com/8", txPower: 0),
      "'https://1234567890123456.com/8' is too long: compressed it has 18 bytes, and 17 fit"
    ),
    (
      .uid(namespace: [1], instance: Array(1...6), txPower: 0),
      "'01' has the wrong size; the namespace of Eddystone-UID has 10 bytes, in 20 digits"
    ),
    (
      .uid(namespace: Array(1...10), instance: [], txPower: 0),
      "'' has the wrong size; the instance of Eddystone-UID has 6 bytes, in 12 digits"
    ),
    (.encryptedTelemetry([1]), "'01' has the wrong size; encrypted telemetry has 16 bytes, in 32 digits"),
    (
      .ephemeralIdentifier([1], txPower: 0),
      "'01' has the wrong size; an Eddystone-EID has 8 bytes, in 16 digits"
    ),
    (
      .telemetry(.init(battery: 0, temperature: 0, advertisements: 0, uptime: 0)),
      "'0' is out of range: 1 to 65535 (battery)"
    ),
    (
      .telemetry(.init(battery: 65536, temperature: 0, advertisements: 0, uptime: 0)),
      "'65536' is out of range: 1 to 65535 (battery)"
    ),
    (
      .telemetry(.init(battery: 1, temperature: -32768, advertisements: 0, uptime: 0)),
      "'-32768' is out of range: -32767 to 32767 (temperature)"
    ),
    (
      .telemetry(.init(battery: 1, temperature: 0, advertisements: -1, uptime: 0)),
      "'-1' is out of range: 0 to 4294967295 (advertisements)"
    ),
    (
      .telemetry(.init(battery: 1, temperature: 0, advertisements: 0, uptime: 1 << 32)),
      "'4294967296' is out of range: 0 to 4294967295 (uptime)"
    ),
  ]

  @Test("A value that has no encoding is named", arguments: mistakes.indices)
  func mistake(_ index: Int) {
    let (frame, message) = Self.mistakes[index]
    var text = ""
    do throws(FormatError) { _ = try frame.encoded() } catch { text = error.description }
    #expect(text == message)
    var size: FormatError?
    do throws(FormatError) { _ = try AltBeacon(company: 1, identifier: [1, 2]) } catch { size = error }
    #expect(
      size?.description
        == "'0102' has the wrong size; the identifier of an AltBeacon has 20 bytes, in 40 digits")
  }

  @Test("Any beacon reads the same after encoding and decoding, and gives the same bytes")
  func thereAndBack() throws {
    var generator = SeededGenerator(seed: 18)
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    for _ in 0..<500 {
      let examples: [AdvertisedData] = [
        .manufacturer(IBeacon.company, [0x02, 0x15] + bytes(21)),
        .manufacturer(UInt16.random(in: 0...0xffff, using: &generator), [0xbe, 0xac] + bytes(22)),
        .service(Eddystone.service, [0x00] + bytes(17) + [0, 0]),
        .service(Eddystone.service, [0x20, 0x00] + bytes(12)),
        .service(Eddystone.service, [0x20, 0x01] + bytes(16)),
        .service(Eddystone.service, [0x30] + bytes(9)),
      ]
      for example in examples {
        let format = try #require(AdvertisedFormats.decode(example) as? any EncodableFormat)
        #expect(try format.encoded() == example, "\(format.text)")
      }
    }
  }

  @Test("A web address reads the same after encoding and decoding, and no other bytes of it are shorter")
  func addresses() throws {
    var generator = SeededGenerator(seed: 19)
    for _ in 0..<2_000 {
      let first = UInt8.random(in: 0...3, using: &generator)
      let count = Int.random(in: 1...17, using: &generator)
      let rest = (0..<count).map { _ in
        [UInt8.random(in: 0...13, using: &generator), UInt8.random(in: 0x21...0x7e, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      let url = try #require(EddystoneURL.decode([first] + rest))
      guard let bytes = try? EddystoneURL.encode(url) else {
        Issue.record("\(url)")
        continue
      }
      #expect(EddystoneURL.decode(bytes) == url)
      #expect(bytes.count <= 1 + count)
    }
  }
}
