// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

/// Data of known formats with too few bytes, with too many, and with values that cannot be.
@Suite("Inexact advertisements")
struct InexactFormatTests {
  private func text(company: UInt16, _ data: String) -> String? {
    AdvertisedFormats.decode(company: company, data: hex(data))?.text
  }

  private func text(service: UInt16, _ data: String) -> String? {
    AdvertisedFormats.decode(service: BluetoothUUID(short: service), data: hex(data))?.text
  }

  @Test("The bytes behind the last field of a format are kept")
  func rest() throws {
    // node-bleacon #21: a battery behind the beacon.
    let beacon = hex("0215 a7ae2eb71f004168b99ba749bac1ca64 0001 0001 bb 4e")
    let format = try #require(AdvertisedFormats.decode(company: 0x004c, data: beacon) as? IBeacon)
    #expect(format.fields.rest == [0x4e])
    #expect(format.encoded() == .manufacturer(0x004c, beacon))
    #expect(
      text(service: 0xfeaa, "20000c8df000001755d10885a5b8ffee")
        == "Eddystone-TLM battery 3213 mV, -16.000 °C, advertisements 1529297, up 14297644.0 s, rest ffee")
    #expect(
      text(service: 0xfeaa, "00ee 00010203040506070809 0a0b0c0d0e0f 0000 07")
        == "Eddystone-UID 00010203040506070809, 0a0b0c0d0e0f, at 0 m -18 dBm, rest 07")
    #expect(
      text(service: 0xfeaa, "30f1 0102030405060708 09")
        == "Eddystone-EID 0102030405060708, at 0 m -15 dBm, rest 09")
    #expect(
      text(company: 0x0499, "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f 07")?.hasSuffix(", rest 07")
        == true)
    #expect(text(company: 0x0499, "03291a1ece1efc18f94202ca0b53 0708")?.hasSuffix(", rest 0708") == true)
  }

  @Test("The strength at one metre is known with bytes behind the beacon, too")
  func strength() {
    let data = hex("00ee 00010203040506070809 0a0b0c0d0e0f 0000 07")
    let format = AdvertisedFormats.decode(service: Eddystone.service, data: data)
    #expect(format?.rssiAtOneMetre == -59)
    #expect((format as? InexactFormat)?.format as? Eddystone == Eddystone(data: data))
  }

  @Test("Data that ends too early has the name of its format, its bytes, and the number of those missing")
  func missing() {
    // arduino-BLEPeripheral #144: a beacon that ends behind the UUID.
    #expect(
      text(company: 0x004c, "0215 a7ae2eb71f004168b99ba749bac1ca64")
        == "iBeacon rest 0215a7ae2eb71f004168b99ba749bac1ca64 (5 bytes missing)")
    #expect(text(company: 0x0118, "beac 01") == "AltBeacon rest beac01 (21 bytes missing)")
    #expect(text(company: 0x0499, "0512fc") == "Ruuvi rest 0512fc (21 bytes missing)")
    #expect(text(service: 0xfeaa, "2000 0c8d") == "Eddystone-TLM rest 20000c8d (10 bytes missing)")
    #expect(text(service: 0xfe95, "58585b05") == "MiBeacon rest 58585b05 (1 byte missing)")
    #expect(AdvertisedFormats.decode(service: Eddystone.service, data: [0x00])?.type == "eddystone-uid")
    #expect(text(service: 0xfeaa, "40") == nil)
  }

  @Test("A percentage that cannot be is no value, but a problem")
  func percentages() throws {
    // theengs/decoder: a Qingping CGD1.
    #expect(
      text(service: 0xfdcd, "080caffd50342d5801040d019e020201aa")
        == "Qingping CGD1, 26.9 °C, 67.0 %, 58:2D:34:50:FD:AF (battery_percent 170 is out of range)")
    #expect(
      text(service: 0x181a, "ccbbaa38c1a4 ccf8 7612 9a0b ff 42 05")
        == "pvvx -18.44 °C, 47.26 %, battery 2970 mV, counter 66, flags 5, A4:C1:38:AA:BB:CC "
        + "(battery_percent 255 is out of range)")
    #expect(
      text(service: 0xfe95, "4050 5b05 01 0a10 01 aa")
        == "MiBeacon product 055b, version 5, counter 1, encrypted no (battery_percent 170 is out of range)")
    #expect(
      text(service: 0xfcd2, "40 01aa 01ff 2e78 2e79 0264ff")
        == "BTHome humidity 120 %, -1.56 °C (battery_percent 170 is out of range; battery_percent_2 255 is out of range; "
        + "humidity_percent_2 121 is out of range)")
    #expect(
      text(service: 0xfd3d, "48 80 7f")
        == "SwitchBot bot, switch mode yes, on yes (battery_percent 127 is out of range)")
    // A problem of one value leaves the others.
    let format = try #require(BTHome(data: hex("40 01aa 02ca09")))
    #expect(format.fields["temperature_celsius"]?.text == "25.06")
    #expect(format.objects.map(\.key) == ["battery_percent", "temperature_celsius"])
  }

  @Test("Numbers are compared with limits whatever their exponent")
  func limits() {
    for (mantissa, exponent, isWithin) in [
      (1000, -1, true), (1001, -1, false), (100, 0, true), (10, 1, true), (11, 1, false), (-1, -3, false),
      (0, 5, true), (Int.max, 3, false), (Int.max, -18, true), (Int.max, -16, false), (Int.min, -30, false),
    ] {
      #expect(
        DecimalNumber(mantissa: mantissa, exponent: exponent).isWithin(0...100) == isWithin,
        "\(mantissa) \(exponent)")
    }
  }

  /// The names that have another meaning in the JSON of advertised values.
  private static let reserved: Set<String> = [
    "rest", "problem", "type", "decryption", "freshness", "rssi_dbm",
  ]

  @Test("No format gives a field a name that has another meaning in JSON")
  func names() {
    let own = BTHomeKind.all.map(\.kind.key)
    let known = (UInt16.min...UInt16.max).filter { MiBeaconKind($0, of: 0x055b, size: 1) != nil }
    let objects = known.flatMap { number in
      [0x055b, 0x03b6, 0x04e1, 0x20db, 0x4683].flatMap { (product: UInt16) in
        (0...12).flatMap { (size: Int) -> [String] in
          MiBeaconKind(number, of: product, size: size)?.decode(Array(repeating: 0, count: size)).fields.map(
            \.key)
            ?? []
        }
      }
    }
    #expect(own.contains("problem_detected"))
    #expect(objects.contains("reported_rssi_dbm"))
    #expect(Self.reserved.isDisjoint(with: own + objects))
  }
}
