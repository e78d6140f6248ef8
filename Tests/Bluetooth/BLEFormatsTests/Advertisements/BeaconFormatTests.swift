// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Beacons by their values")
struct BeaconFormatTests {
  struct Case: Sendable {
    var format: BeaconFormat
    var values: [String: String]
    var text: String

    var named: NamedValues {
      NamedValues(values.sorted { $0.key < $1.key }.map { (name: $0.key, text: $0.value) })
    }
  }

  private static let cases = [
    Case(
      format: .bthome,
      values: ["packet_id": "7", "temperature": "21.504", "motion": "yes", "triggered": "yes"],
      text: "BTHome packet 7, 21.50 °C, motion yes, triggered yes"),
    Case(
      format: .ruuvi,
      values: [
        "temperature_celsius": "-21.303", "humidity": "53.49", "pressure": "100044", "acceleration_x": "4",
        "acceleration_y_mg": "-4", "acceleration_z": "1036", "battery_mv": "2977", "tx_power": "4",
        "movements": "66", "sequence": "205",
      ],
      text: "Ruuvi -21.305 °C, 53.4900 %, 100044 Pa, x 4 mG, y -4 mG, z 1036 mG, battery 2977 mV, "
        + "TX power 4 dBm, movements 66, sequence 205, C0:00:00:00:00:01"),
    Case(format: .ruuvi, values: ["temperature": "0"], text: "Ruuvi 0.000 °C, C0:00:00:00:00:01"),
    Case(
      format: .eddystoneTelemetry,
      values: ["battery": "3000", "temperature": "21.5", "advertisements": "9", "uptime_s": "60"],
      text: "Eddystone-TLM battery 3000 mV, 21.500 °C, advertisements 9, up 60.0 s"),
    Case(format: .eddystoneTelemetry, values: [:], text: "Eddystone-TLM advertisements 0, up 0.0 s"),
    Case(
      format: .iBeacon,
      values: ["uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": "1", "minor": "65535"],
      text: "iBeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0, major 1, minor 65535, at 1 m -59 dBm"),
    Case(
      format: .pvvx,
      values: [
        "temperature": "-18.44", "humidity": "47.26", "battery": "90", "battery_mv": "2970", "counter": "66",
        "flags": "5",
      ],
      text: "pvvx -18.44 °C, 47.26 %, battery 90 %, battery 2970 mV, counter 66, flags 5, C0:00:00:00:00:01"),
  ]

  private static let address = BluetoothAddress(bits: 0xc000_0000_0001)

  @Test("What is encoded from values is decoded to the same", arguments: cases)
  func encodedDecodedSame(_ example: Case) throws {
    let data = try example.format.encoded(example.named, from: Self.address)
    #expect(AdvertisedFormats.decode(data)?.text == example.text)
  }

  @Test("Every format has an example")
  func everyFormatExample() { #expect(Set(Self.cases.map(\.format)) == Set(BeaconFormat.allCases)) }

  @Test(
    "A name or a value that a format does not have is refused",
    arguments: [
      (
        BeaconFormat.ruuvi, "temprature", "1",
        "'temprature' is not one of the values: did you mean temperature?"
      ),
      (.ruuvi, "temperature", "200", "'200' is out of range: -163.835 to 163.835"),
      (.ruuvi, "movements", "255", "'255' is out of range: 0 to 254"),
      (.eddystoneTelemetry, "battery", "0", "'0' is out of range: 1 to 65535"),
      (.iBeacon, "uuid", "here", "'here' is not a UUID"), (.iBeacon, "minor", "1", "'uuid' is missing"),
      (.pvvx, "humidity", "wet", "'wet' is not a number"),
      (.bthome, "battery", "101.5%", "'101.5%' is not a number (battery_percent)"),
    ])
  func wrongValueRefused(_ format: BeaconFormat, _ name: String, _ value: String, _ error: String) {
    let values = NamedValues([(name: name, text: value)])
    let found = #expect(throws: FormatError.self) { try format.encoded(values, from: Self.address) }
    #expect(found?.description == error)
  }

  @Test("A value is refused the second time")
  func valueRefusedSecond() {
    let values = NamedValues([(name: "humidity", text: "1"), (name: "humidity_percent", text: "2")])
    let found = #expect(throws: FormatError.self) {
      try BeaconFormat.ruuvi.encoded(values, from: Self.address)
    }
    #expect(found?.description == "'humidity_percent' has a value already")
  }

  @Test("Encrypted data is that of the documentation of BTHome")
  func encryptedDataDocumentation() throws {
    let address = try #require(BluetoothAddress("54:48:E6:8F:80:A5"))
    let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
    let data = try BeaconFormat.bthome.encoded(
      NamedValues([(name: "temperature", text: "25.06"), (name: "humidity", text: "50.55")]), from: address)
    let sealed = try BeaconFormat.bthome.sealed(data, from: address, key: key, counter: 0x3322_1100)
    #expect(sealed == .service(BTHome.service, hex("41 a47266c95f73 00112233 78237214")))
  }

  @Test("Encrypted data of a thermometer is decrypted with its key, and with no other")
  func encryptedDataThermometer() throws {
    let key = try BindKey(parsing: "b9ea895fac7eea6d30532432a516f3a3")
    let values = NamedValues([
      (name: "temperature", text: "23.45"), (name: "humidity", text: "41.73"), (name: "battery", text: "61"),
    ])
    let plain = try BeaconFormat.pvvx.encoded(values, from: Self.address)
    let sealed = try BeaconFormat.pvvx.sealed(plain, from: Self.address, key: key, counter: 0x0111)
    let opened = try AdvertisedFormats.decode(sealed, from: Self.address, key: key)
    #expect(
      opened?.format.text == "pvvx 23.45 °C, 41.73 %, battery 61 %, counter 17, flags 0, \(Self.address)")
    #expect(opened?.counter == PacketCounter(17, bits: 8))
    let other = try BindKey(parsing: "00ea895fac7eea6d30532432a516f3a3")
    #expect(throws: DecryptionError.wrongKey) {
      try AdvertisedFormats.decode(sealed, from: Self.address, key: other)
    }
  }

  @Test("Formats that cannot be encrypted say so")
  func formatsCannotEncrypted() {
    #expect(BeaconFormat.allCases.filter(\.isEncryptable) == [.bthome, .pvvx])
  }
}
