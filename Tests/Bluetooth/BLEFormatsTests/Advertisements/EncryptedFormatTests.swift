// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@Suite("Encrypted advertisements")
struct EncryptedFormatTests {
  struct Vector: Sendable {
    var number: UInt16
    var data, address, key, text: String
    var counter: UInt32
    var bits = 32

    var advertised: AdvertisedData {
      number == 0x02e1 ? .manufacturer(number, hex(data)) : .service(BluetoothUUID(short: number), hex(data))
    }
  }

  private static let vectors = [
    // bthome.io/encryption: temperature 25.06, humidity 50.55, counter 00112233, least significant byte first.
    Vector(
      number: 0xfcd2, data: "41 a47266c95f73 00112233 78237214", address: "54:48:E6:8F:80:A5",
      key: "231d39c1d7cc1ab1aee224cd096db932", text: "BTHome 25.06 °C, humidity 50.55 %",
      counter: 0x3322_1100),
    // Devices that the tests of xiaomi-ble recorded: LYWSD03MMC (version 5), CGDK2, CGG1, MJWSD06MMC, JTYJGD03MI.
    Vector(
      number: 0xfe95, data: "58585b0550 f4830238c1a4 95ef58763c 260000 97e2abb5",
      address: "A4:C1:38:02:83:F4",
      key: "e9ea895fac7cca6d30532432a516f3a8",
      text: "MiBeacon product 055b, version 5, counter 80, encrypted no, humidity 46.7 %", counter: 0x2650),
    Vector(
      number: 0xfe95, data: "58586f0607 892012342d58 5f176dd54f 020000 2fa453fa",
      address: "58:2D:34:12:20:89",
      key: "a3bfe9853dd85a620debe3620caaa351",
      text: "MiBeacon product 066f, version 5, counter 7, encrypted no, 22.6 °C", counter: 0x207),
    Vector(
      number: 0xfe95, data: "5858480b68 5f12342d585a 0b1841e2aa 000e00 a4964fb5",
      address: "5A:58:2D:34:12:5F",
      key: "814aac74c4f17b6c1581e1ab87816b99",
      text: "MiBeacon product 0b48, version 5, counter 104, encrypted no, humidity 59.6 %", counter: 0xe0068),
    // Without an address in the frame, that of the advertisement counts.
    Vector(
      number: 0xfe95, data: "4859b5553a 8699bda053448f 120000 5b046d6a", address: "A4:C1:38:80:15:07",
      key: "4d8f1373fb4d3bab557d0ebd1c78f8c4",
      text: "MiBeacon product 55b5, version 5, counter 58, encrypted no, 25.2 °C", counter: 0x123a),
    Vector(
      number: 0xfe95, data: "5859970966 bc9ce344ef54 01081205 000000 715ebe90", address: "54:EF:44:E3:9C:BC",
      key: "5b51a7c91cde6707c9ef18dfda143a58",
      text: "MiBeacon product 0997, version 5, counter 102, encrypted no, smoke alarm", counter: 0x66),
    // A remote control, YLYK01YL, version 3.
    Vector(
      number: 0xfe95, data: "5830b603d2 8b98c54124f8 c3491476757e 000000 99", address: "F8:24:41:C5:98:8B",
      key: "b853075158487ca39a5b5ea9",
      text: "MiBeacon product 03b6, version 3, counter 210, encrypted no, button press, presses 1",
      counter: 210),
    // pvvx, recorded for the tests of ble_monitor.
    Vector(
      number: 0x181a, data: "11 d603fbfa7b6d fb1e26fd", address: "A4:C1:38:8D:18:B2",
      key: "b9ea895fac7eea6d30532432a516f3a3",
      text: "pvvx 23.45 °C, 41.73 %, battery 61 %, counter 17, flags 4, A4:C1:38:8D:18:B2", counter: 17,
      bits: 8),
    // Devices that the tests of victron-ble recorded.
    Vector(
      number: 0x02e1, data: "100242a001 6207 ad ceb37b605d7e0ee21b24df5c", address: "00:00:00:00:00:00",
      key: "adeccb947395801a4dd45a2eaa44bf17",
      text: "Victron product a042, solar charger, counter 1890, encrypted no, absorption, error 0, "
        + "battery 13.88 V, battery 1.4 A, today 0.03 kWh, solar 19 W, load 0.0 A", counter: 1890, bits: 16),
    Vector(
      number: 0x02e1, data: "100289a302 b040 af 925d09a4d89aa0128bdef48c6298a9", address: "00:00:00:00:00:00",
      key: "aff4d0995b7d1e176c0c33ecb9e70dcd",
      text: "Victron product a389, battery monitor, counter 16560, encrypted no, battery 12.53 V, "
        + "battery 0.000 A, consumed -50.0 Ah, charge 50.0 %", counter: 16_560, bits: 16),
    Vector(
      number: 0x02e1, data: "1000a4a302 5f15 0d 8dcbff517f30eb65e76b22a04ac4e1", address: "00:00:00:00:00:00",
      key: "0da694539597f9cf6c613cde60d7bf05",
      text: "Victron product a3a4, battery monitor, counter 5471, encrypted no, battery 12.22 V, 22.50 °C",
      counter: 5471, bits: 16),
    Vector(
      number: 0x02e1, data: "100380270c 1252 da d26f0b8eb39162074d140df410", address: "00:00:00:00:00:00",
      key: "da3f5fa2860cb1cf86ba7a6d1d16b9dd",
      text: "Victron product 2780, VE.Bus, counter 21010, encrypted no, float, error 0, battery 23.2 A, "
        + "battery 14.45 V, AC input 1, AC in 1459 W, AC out 1046 W, alarm none, 32 °C", counter: 21_010,
      bits: 16),
    Vector(
      number: 0x02e1, data: "100043a40b f4e4 34 af0e46c3b8eb68e08e616993f70c", address: "00:00:00:00:00:00",
      key: "346c410e8c824dd723c0f5b13b9eabc8",
      text:
        "Victron product a443, Multi RS, counter 58612, encrypted no, inverting, error 0, battery -12.8 A, "
        + "battery 51.71 V, AC input not connected, AC in 0 W, AC out 722 W, solar 0 W, today 5.32 kWh",
      counter: 58_612, bits: 16),
    Vector(
      number: 0x02e1, data: "1080b0a309 3523 fa dedea38b1af8bcbde91ca8b6dbb60e", address: "00:00:00:00:00:00",
      key: "fac570d66380b797a5b7543758be00e4",
      text:
        "Victron product a3b0, smart battery protect, counter 9013, encrypted no, active, output on, error 0, "
        + "input 13.07 V, output 13.07 V", counter: 9013, bits: 16),
    Vector(
      number: 0x02e1, data: "100289a30d 787f af de83ccec982199fd815286", address: "00:00:00:00:00:00",
      key: "aff4d0995b7d1e176c0c33ecb9e70dcd",
      text:
        "Victron product a389, DC energy meter, counter 32632, encrypted no, DC/DC charger, battery 12.52 V, "
        + "starter -0.01 V, battery 0.000 A", counter: 32_632, bits: 16),
    Vector(
      number: 0x02e1, data: "1000c0a304 121d 64 ca8d442b90bbdf6a8cba", address: "00:00:00:00:00:00",
      key: "64ba49f1a8562e45197a8e1fe50d7658",
      text: "Victron product a3c0, DC/DC converter, counter 7442, encrypted no, off, error 0, input 13.15 V, "
        + "off because of engine shutdown", counter: 7442, bits: 16),
    Vector(
      number: 0x02e1, data: "100030a308 f926 c1 b5170a0d2280335bf12d5ed083", address: "00:00:00:00:00:00",
      key: "c129cf8f75c3fe5a1655b481e205fb7d",
      text:
        "Victron product a330, AC charger, counter 9977, encrypted no, storage, error 0, battery 1 13.49 V, "
        + "battery 1 0.4 A, 21 °C", counter: 9977, bits: 16),
  ]

  private func decode(_ vector: Vector, key: String) throws -> DecryptedAdvertisement? {
    try AdvertisedFormats.decode(
      vector.advertised, from: #require(BluetoothAddress(vector.address)), key: BindKey(parsing: key))
  }

  @Test("The vectors of the documentation and of recorded devices are decrypted", arguments: vectors.indices)
  func decrypts(_ index: Int) throws {
    let vector = Self.vectors[index]
    let reading = try #require(try decode(vector, key: vector.key))
    #expect(reading.format.text == vector.text)
    #expect(reading.counter == PacketCounter(vector.counter, bits: vector.bits))
    #expect(reading.wasEncrypted)
    #expect(reading.format.fields.isComplete)
  }

  @Test(
    "Without a key, with another or with one of another length, the error says so", arguments: vectors.indices
  )
  func keys(_ index: Int) throws {
    let vector = Self.vectors[index]
    let address = try #require(BluetoothAddress(vector.address))
    #expect(throws: DecryptionError.keyMissing) {
      try AdvertisedFormats.decode(vector.advertised, from: address, key: nil)
    }
    let bytes = hex(vector.key)
    let wrong = try #require(BindKey(bytes: bytes.map { $0 ^ 0x55 }))
    #expect(throws: DecryptionError.wrongKey) {
      try AdvertisedFormats.decode(vector.advertised, from: address, key: wrong)
    }
    let needed = bytes.count
    let other = try #require(BindKey(bytes: [UInt8](repeating: 1, count: needed == 16 ? 12 : 16)))
    #expect(throws: DecryptionError.keyLength(needed: needed)) {
      try AdvertisedFormats.decode(vector.advertised, from: address, key: other)
    }
  }

  @Test("A packet from another address, or with a changed bit, is not authentic")
  func changed() throws {
    for vector in Self.vectors where vector.number == 0xfcd2 || vector.number == 0x181a {
      let key = try BindKey(parsing: vector.key)
      #expect(throws: DecryptionError.wrongKey) {
        try AdvertisedFormats.decode(
          vector.advertised, from: #require(BluetoothAddress(bytes: Array(0..<6))), key: key)
      }
      let bytes = hex(vector.data)
      for bit in 8..<8 * bytes.count {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        let data = AdvertisedData.service(BluetoothUUID(short: vector.number), changed)
        let address = try #require(BluetoothAddress(vector.address))
        #expect(throws: DecryptionError.wrongKey) {
          try AdvertisedFormats.decode(data, from: address, key: key)
        }
      }
    }
  }

  @Test("Encryption covers the reserved bits of BTHome's device information")
  func reserved() throws {
    // Encrypted by the package cryptography as the example of bthome.io/encryption, with 5b instead of 41.
    let data = hex("5b631cc385225300112233e78907cd")
    let reading = try AdvertisedFormats.decode(
      .service(BTHome.service, data), from: #require(BluetoothAddress("54:48:E6:8F:80:A5")),
      key: BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932"))
    #expect(
      reading?.format.text
        == "BTHome rest 02ca0903bf13 (reserved bits 0x1a of the device information are set)")
    #expect((reading?.format as? BTHome)?.data == hex("5a02ca0903bf13"))
  }

  @Test("Data that is too short for a counter and a tag is malformed")
  func short() throws {
    let address = try #require(BluetoothAddress("54:48:E6:8F:80:A5"))
    let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
    for (number, data) in [
      (0xfcd2, "41"), (0xfcd2, "41 00112233 782372"), (0xfe95, "48580000 00 000000 112233"),
    ] {
      let error = #expect(throws: DecryptionError.self) {
        try AdvertisedFormats.decode(
          .service(BluetoothUUID(short: UInt16(number)), hex(data)), from: address, key: key)
      }
      #expect(error == .malformed("the counter or the tag is cut off"))
    }
    let later = #expect(throws: DecryptionError.self) {
      try AdvertisedFormats.decode(
        .service(BluetoothUUID(short: 0xfcd2), hex("61a47266c95f730011223378237214")), from: address, key: key
      )
    }
    #expect(later?.description == "the data is malformed: version 3 is not known")
  }

  @Test("Data that is not encrypted is decoded with and without a key, and has no counter to trust")
  func plain() throws {
    let address = try #require(BluetoothAddress("54:48:E6:8F:80:A5"))
    let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
    for key in [key, nil] {
      let data = AdvertisedData.service(BluetoothUUID(short: 0xfcd2), hex("40 02ca09"))
      let reading = try AdvertisedFormats.decode(data, from: address, key: key)
      #expect(reading?.format.text == "BTHome 25.06 °C")
      #expect(reading?.counter == nil)
      #expect(reading?.wasEncrypted == false)
      #expect(try AdvertisedFormats.decode(.manufacturer(0xffff, [1]), from: address, key: key) == nil)
    }
  }

  @Test("Encrypted ATC has halves of a degree and of a percent")
  func atc() throws {
    // Encrypted by the package cryptography: 23.5 °C, 47.5 %, 90 %, trigger on; counter 9.
    let data = AdvertisedData.service(BluetoothUUID(short: 0x181a), hex("09e702450207e062"))
    let reading = try AdvertisedFormats.decode(
      data, from: #require(BluetoothAddress("A4:C1:38:8D:18:B2")),
      key: BindKey(parsing: "b9ea895fac7eea6d30532432a516f3a3"))
    #expect(
      reading?.format.text == "ATC 23.5 °C, 47.5 %, battery 90 %, counter 9, flags 4, A4:C1:38:8D:18:B2")
    #expect(reading?.counter == PacketCounter(9, bits: 8))
  }

  @Test("The errors are sentences that name no key")
  func errors() {
    #expect(DecryptionError.keyMissing.description == "the data is encrypted, and there is no key for it")
    #expect(DecryptionError.keyLength(needed: 12).description == "the format needs a key of 12 bytes")
    #expect(DecryptionError.wrongKey.description == "the key does not fit the data")
    #expect(
      DecryptionError.unavailable("no such file").description
        == "libcrypto is not installed (no such file); sudo apt install libssl3")
  }
}
