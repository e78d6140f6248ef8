// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@Suite("Vendors' advertisements")
struct VendorFormatTests {
  @Test("The kinds of Apple's messages are named, and nothing is claimed about their contents")
  func apple() throws {
    // Nearby Info and Handoff, as type, length and contents.
    let data = hex("1005 4b1c6a4200 0c0e 00112233445566778899aabbccdd")
    let format = try #require(AdvertisedFormats.decode(company: 0x004c, data: data) as? AppleContinuity)
    #expect(format.messages == [0x10, 0x0c])
    #expect(format.text == "Apple Nearby Info, Handoff")
    #expect(AppleContinuity(data: hex("1219") + Array(repeating: 0, count: 25))?.text == "Apple Find My")
    #expect(AppleContinuity(data: [0x01] + Array(repeating: 0, count: 16))?.text == "Apple overflow area")
    #expect(AppleContinuity(data: hex("7e0100"))?.text == "Apple type 0x7e")
    #expect(
      AppleContinuity(data: hex("0c0101 1005 4b"))?.text
        == "Apple Handoff, rest 10054b (the last message is cut off)")
    #expect(AppleContinuity(data: hex("1005 4b")) == nil)
    #expect(AppleContinuity(data: []) == nil)
  }

  @Test("Microsoft's two kinds of advertisements are told apart")
  func microsoft() {
    // Swift Pair, over LE alone, with a name.
    let pairing = AdvertisedFormats.decode(company: 0x0006, data: hex("030080 4d6f757365"))
    #expect(pairing?.text == "Swift Pair Mouse, scenario 0")
    #expect((pairing as? SwiftPair)?.displayName == "Mouse")
    #expect(SwiftPair(data: hex("030180 112233445566 040424"))?.displayName == nil)
    #expect(
      SwiftPair(data: hex("030180 112233445566 040424"))?.text
        == "Swift Pair scenario 1, rest 112233445566040424")
    #expect(SwiftPair(data: hex("0300")) == nil)
    // [MS-CDP] 2.2.2.2.3: scenario 1, device type 9.
    let desktop = AdvertisedFormats.decode(
      company: 0x0006, data: hex("01092002") + Array(repeating: 0, count: 20))
    #expect(desktop?.text == "Microsoft Windows desktop")
    #expect(AdvertisedFormats.decode(company: 0x0006, data: hex("02000000")) == nil)
  }

  @Test("Fast Pair sends its model while it can be paired")
  func fastPair() {
    let service = BluetoothUUID(short: 0xfe2c)
    #expect(AdvertisedFormats.decode(service: service, data: hex("00000a"))?.text == "Fast Pair model 00000a")
    #expect(FastPair(data: hex("abcdef")) == .discoverable(model: 0xabcdef))
    #expect(FastPair(data: hex("0040 1122334455")) == .known(hex("00401122334455")))
    #expect(FastPair(data: []) == nil)
  }

  @Test("An Exposure Notification has two encrypted parts")
  func exposure() {
    let data = Array(UInt8(0)..<20)
    let format =
      AdvertisedFormats.decode(service: BluetoothUUID(short: 0xfd6f), data: data) as? ExposureNotification
    #expect(format?.rollingProximityIdentifier == Array(0..<16))
    #expect(format?.encryptedMetadata == [16, 17, 18, 19])
    #expect(ExposureNotification(data: Array(data.dropLast())) == nil)
  }

  /// The vectors of docs.ruuvi.com for data format 5, and what they say.
  private static let ruuviVectors: [(data: String, text: String)] = [
    (
      "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f",
      "Ruuvi 24.300 °C, 53.4900 %, 100044 Pa, x 4 mG, y -4 mG, z 1036 mG, battery 2977 mV, TX power 4 dBm, "
        + "movements 66, sequence 205, CB:B8:33:4C:88:4F"
    ),
    (
      "057ffffffefffe7fff7fff7fffffdefefffecbb8334c884f",
      "Ruuvi 163.835 °C, 163.8350 %, 115534 Pa, x 32767 mG, y 32767 mG, z 32767 mG, battery 3646 mV, "
        + "TX power 20 dBm, movements 254, sequence 65534, CB:B8:33:4C:88:4F"
    ),
    (
      "058001000000008001800180010000000000cbb8334c884f",
      "Ruuvi -163.835 °C, 0.0000 %, 50000 Pa, x -32767 mG, y -32767 mG, z -32767 mG, battery 1600 mV, "
        + "TX power -40 dBm, movements 0, sequence 0, CB:B8:33:4C:88:4F"
    ),
    ("058000ffffffff800080008000ffffffffffffffffffffff", "Ruuvi"),
    // Data format 3.
    (
      "03291a1ece1efc18f94202ca0b53",
      "Ruuvi 26.30 °C, 20.5 %, 102766 Pa, x -1000 mG, y -1726 mG, z 714 mG, battery 2899 mV"
    ),
    (
      "0300ff6300008001800180010000",
      "Ruuvi -127.99 °C, 0.0 %, 50000 Pa, x -32767 mG, y -32767 mG, z -32767 mG, battery 0 mV"
    ),
  ]

  @Test(
    "Ruuvi's own vectors are understood, with what is not available left out",
    arguments: ruuviVectors.indices)
  func ruuvi(_ index: Int) {
    let (data, text) = Self.ruuviVectors[index]
    #expect(AdvertisedFormats.decode(company: 0x0499, data: hex(data))?.text == text)
    #expect(RuuviTag(data: Array(hex(data).dropLast())) == nil)
  }

  @Test(
    "Both formats of the free firmware for Xiaomi's thermometers are understood, and what is encrypted is named"
  )
  func thermometers() throws {
    let service = BluetoothUUID(short: 0x181a)
    let first = AdvertisedFormats.decode(service: service, data: hex("a4c138aabbcc 00e8 2f 5a 0b9a 42"))
    #expect(
      first?.text == "ATC 23.2 °C, 47 %, battery 90 %, battery 2970 mV, counter 66, A4:C1:38:AA:BB:CC")
    let second = AdvertisedFormats.decode(service: service, data: hex("ccbbaa38c1a4 ccf8 7612 9a0b 5a 42 05"))
    #expect(
      second?.text
        == "pvvx -18.44 °C, 47.26 %, battery 90 %, battery 2970 mV, counter 66, flags 5, A4:C1:38:AA:BB:CC")
    #expect(
      AdvertisedFormats.decode(service: service, data: hex("0102030405060708"))?.label == "ATC (encrypted)")
    #expect(
      AdvertisedFormats.decode(service: service, data: hex("0102030405060708090a0b"))?.label
        == "pvvx (encrypted)")
    for count in [0, 7, 9, 12, 14, 16] {
      #expect(ATCThermometer(data: Array(repeating: 0, count: count)) == nil)
    }
  }
}
