// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("MiBeacon")
struct MiBeaconTests {
  /// The text of an object in a frame that is not encrypted, without the header.
  private func text(_ object: String, of product: UInt16 = 0x055b) throws -> String {
    let header = [0x40, 0x50] + product.littleEndianBytes + [0x01]
    let format = try #require(
      AdvertisedFormats.decode(service: BluetoothUUID(short: 0xfe95), data: header + hex(object)))
    let prefix = "MiBeacon product \(product.fourDigits), version 5, counter 1, encrypted no, "
    #expect(format.text.hasPrefix(prefix))
    return String(format.text.dropFirst(prefix.count))
  }

  /// The examples of "Mijia BLE Object Definition", and objects of devices that others recorded.
  private static let objects: [(object: String, text: String)] = [
    ("0410 02 1a01", "28.2 °C"), ("0610 02 5a01", "humidity 34.6 %"), ("0a00 02 a70e", "37.51 °C"),
    ("1010 02 1000", "formaldehyde 0.16 mg/m³"), ("0d10 04 b4009502", "18.0 °C, humidity 66.1 %"),
    ("0a10 01 3b", "battery 59 %"), ("0710 03 a08601", "100000 lx"), ("0810 01 40", "moisture 64 %"),
    ("0910 02 5702", "conductivity 599 µS/cm"), ("0510 02 015a", "power yes, 90 °C"),
    ("0300 01 01", "motion yes"),
    ("0f00 03 640000", "motion yes, 100 lx"), ("1710 04 78000000", "motion no, no motion for 120 s"),
    ("1910 01 02", "opening left open"), ("0700 01 03", "door knock"),
    ("0110 03 010002", "button 1, value 0, long press"),
    ("0600 05 ffffffff00", "key unknown operator, fingerprint accepted"),
    (
      "0b00 09 20 02000180 5d396164",
      "unlocked outside, by biometrics, key 2147549186, timestamp 1684093277 s"
    ),
    ("0b00 09 9f 0300dec0 5d396164", "abnormal, by HomeKit, key lock picking, timestamp 1684093277 s"),
    ("0e10 01 05", "square bolt yes, dead bolt no, latch bolt yes, child lock no"),
    ("1000 02 0003", "counter 3, brushing start"), ("1000 02 0153", "score 83, brushing end"),
    ("1000 01 01", "brushing end"), ("0800 01 01", "armed yes"), ("1b10 01 01", "motion no"),
    ("0020 05 a00e9a0e51", "skin 37.44 °C, board 37.38 °C, battery 81 %"),
    ("0148 04 9a99c941", "25.2 °C"), ("014c 04 0000c07f", "nan"), ("0548 04 00004841", "12.5 lx"),
    ("0c4a 00", "button press"), ("0d4e 01 03", "button double press, number 3"),
    ("084a 04 00008040", "motion yes, 4.0 lx"),
    ("1258 01 00", "object 5812 00"), ("0310 01 ce", "reported -50 dBm"),
    ("0700 05 02 5d396164", "door left open, timestamp 1684093277 s"),
    ("4818 01 01", "object 1848 01"), ("1848 02 0000", "motion yes, no motion for 0 s"),
    ("164e 09 02 381f0000 5d396164", "profile 2, 79.92 kg, timestamp 1684093277 s"),
    // 72.3 kg and 450.1 Ω; then the high frequency alone; then a weight with socks.
    ("166e 09 01 d30a5546 5d396164", "profile 1, 72.3 kg, 83 bpm, 450.1 Ω, timestamp 1684093277 s"),
    ("166e 09 01 00005446 5d396164", "profile 1, 450.1 Ω, timestamp 1684093277 s"),
    ("166e 09 01 ff070000 5d396164", "profile 1, timestamp 1684093277 s"),
  ]

  @Test("The objects of a frame that is not encrypted come out as they should", arguments: objects.indices)
  func decodes(_ index: Int) throws {
    let (object, expected) = Self.objects[index]
    #expect(try text(object) == expected)
  }

  /// Objects whose meaning depends on the product or on their size: those of xiaomi-ble and ble_monitor.
  private static let special: [(product: UInt16, object: String, text: String)] = [
    // RTCGQ02LM: the only sign that a motion is over.
    (0x0a8d, "1b10 04 1e000000", "motion no, no motion for 30 s"),
    (0x0a8d, "1b10 04 00000000", "motion yes, no motion for 0 s"),
    // ES3, and other sensors of occupancy; the last one has two numbers for an empty room.
    (0x50fb, "4e48 01 1f", "occupancy yes"), (0x50fb, "4e48 01 00", "occupancy no"),
    (0x4683, "4e48 01 01", "occupancy yes"), (0x4683, "4e48 01 02", "occupancy no"),
    (0x055b, "3c48 01 03", "occupancy yes"), (0x055b, "1354 01 02", "occupancy near yes"),
    // YLKG07YL: presses, the duration of one, turns, and turns while it is pressed.
    (0x03b6, "0110 03 000103", "button press, presses 1"),
    (0x03b6, "0110 03 000203", "button press, presses 2"),
    (0x03b6, "0110 03 010203", "button long press, for 2 s"), (0x03b6, "0110 03 00ff04", "dimmer -1"),
    (0x03b6, "0110 03 000304", "dimmer 3"), (0x03b6, "0110 03 fe0004", "dimmer -2, pressed yes"),
    (0x03b6, "0110 03 000109", "object 1001 000109"),
    (0x0153, "0110 03 030000", "button 3, value 0, press"),
    // XMMF01JQD.
    (0x04e1, "0110 03 010000", "rotate left"), (0x04e1, "0110 03 000000", "rotate right"),
    // A bed.
    (0x20db, "164e 01 01", "in bed yes"),
  ]

  @Test("Objects mean what they do on their product, and with their size", arguments: special.indices)
  func depends(_ index: Int) throws {
    let (product, object, expected) = Self.special[index]
    #expect(try text(object, of: product) == expected)
  }

  @Test("An object with more bytes than are known, or a number that is neither yes nor no, is not guessed")
  func guesses() throws {
    #expect(
      try text("0410 03 1a0107")
        == "object 1004 1a0107 (object 1004 has 3 bytes, and the meaning of 2 is known)")
    #expect(
      try text("0300 04 01000000")
        == "object 0003 01000000 (object 0003 has 4 bytes, and the meaning of 1 is known)")
    #expect(try text("1810 01 02 0610 025a01") == "humidity 34.6 % (light 2 is neither yes nor no)")
  }

  @Test("The bytes of a frame without objects are kept")
  func others() {
    #expect(
      MiBeacon(data: hex("4010 9800 12 f34f"))?.text
        == "MiBeacon product 0098, version 1, counter 18, encrypted no, rest f34f")
  }

  @Test("The keys of a frame are those of its header and its objects, which are numbered")
  func keys() throws {
    let format = try #require(
      MiBeacon(data: hex("5050 5b05 01 8920122d3458 0410021a01 04100200ff 0610025a01")))
    #expect(
      format.fields.fields.map(\.key) == [
        "product_id", "version", "counter", "encrypted", "temperature_celsius", "temperature_celsius_2",
        "humidity_percent",
      ])
    #expect(format.fields["temperature_celsius_2"]?.text == "-25.6")
    #expect(format.address == BluetoothAddress("58:34:2D:12:20:89"))
    #expect(format.objects.map(\.identifier) == [0x1004, 0x1004, 0x1006])
    let impedance = try #require(MiBeacon(data: hex("4050 5b05 01 166e 09 01 00005446 5d396164")))
    #expect(impedance.fields["impedance_high_ohm"]?.text == "450.1")
    #expect(impedance.fields["impedance_low_ohm"] == nil)
  }

  @Test("The optional parts of the header are taken before the objects")
  func header() throws {
    // HHCCJCY01: address and capability; then a capability that announces two bytes more.
    #expect(
      MiBeacon(data: hex("7120 9800 12 f34f6b8d7cc4 0d 041002c400"))?.text
        == "MiBeacon product 0098, version 2, counter 18, encrypted no, 19.6 °C")
    #expect(
      MiBeacon(data: hex("6050 9800 12 20 0100 041002c400"))?.text
        == "MiBeacon product 0098, version 5, counter 18, encrypted no, 19.6 °C")
    // Without the bit of an object, for the mesh, and in version 1, there is the header only.
    for control in ["1020", "c020", "4010"] {
      #expect(MiBeacon(data: hex(control + "9800 12 f34f6b8d7cc4 041002c400"))?.objects == [])
    }
  }

  @Test("A frame names its product, and whether it is encrypted; one that is cut off says so")
  func encrypted() throws {
    // LYWSD03MMC, version 5.
    let format = try #require(MiBeacon(data: hex("5858 5b05 7c aabbccddeeff 08 112233")))
    #expect(format.product == 0x055b)
    #expect(format.isEncrypted)
    #expect(format.text == "MiBeacon product 055b, version 5, counter 124, encrypted yes")
    #expect(MiBeacon(data: hex("58585b05")) == nil)
    #expect(
      try text("0410021a01 0610025a") == "28.2 °C, rest 0610025a (the last object is cut off)")
    let short = try #require(MiBeacon(data: hex("4050 5b05 01 0410011a")))
    #expect(short.fields.problems == ["1 byte missing for temperature_celsius"])
    #expect(short.fields["object_1004_rest"]?.text == "1a")
  }
}
