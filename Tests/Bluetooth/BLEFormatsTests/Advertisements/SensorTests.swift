// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

/// The formats of sensors that are recognized by their name or by other parts of the advertisement.
@Suite("Sensors' advertisements")
struct SensorTests {
  /// Decodes manufacturer data of a device with a name.
  private func text(_ company: UInt16, _ data: String, _ name: String?, _ services: [UInt16] = []) -> String?
  {
    let context = AdvertisedContext(localName: name, services: services.map { BluetoothUUID(short: $0) })
    return AdvertisedFormats.decode(company: company, data: hex(data), in: context)?.text
  }

  @Test("Govee's thermometers pack temperature and humidity into one number, below zero with a sign")
  func govee() {
    #expect(text(0xec88, "00 03519e 64 00", "GVH5075_1234") == "Govee H5075, 21.7 °C, 50.2 %, battery 100 %")
    #expect(text(0xec88, "00 8019ac 64 00", nil) == "Govee -0.6 °C, 57.2 %, battery 100 %")
    #expect(text(0x0001, "0101 03519e 5a", "GVH5102_1234") == "Govee H5102, 21.7 °C, 50.2 %, battery 90 %")
    #expect(
      text(0xec88, "00 03519e e4 00", "GVH5075_1234")
        == "Govee H5075, battery 100 % (the sensor reports an error)")
    // Temperatures that no room has, and a battery of 123 %.
    #expect(
      text(0xec88, "00 8b5270 64 00", nil)
        == "Govee battery 100 % (temperature_celsius -74.2 is out of range)")
    #expect(
      text(0xec88, "00 2b3ef4 7b 00", nil)
        == "Govee (temperature_celsius 283.4 is out of range; battery_percent 123 is out of range)")
    // Company 0001 is another one: without a name, nothing is claimed.
    #expect(text(0x0001, "0101 03519e 5a", nil) == nil)
    #expect(text(0x0001, "0101 03519e 5a", "Phone 5102") == nil)
    #expect(
      text(0x004c, "00 03519e 64 00", "GVH5075_1234")
        == "Apple type 0x00, rest 00 (the last message is cut off)")
  }

  @Test("Govee's other models have formats of their own, and an attached iBeacon is left out")
  func goveeModels() {
    #expect(
      text(0xec88, "00 dd07 3a12 64 02", "Govee_H5074_1234")
        == "Govee H5074, 20.13 °C, 46.66 %, battery 100 %")
    #expect(
      text(
        0xec88, "00 dd07 3a12 64 02 4c000215494e54454c4c495f524f434b535f48575075f2ffc2", "Govee_H5074_1234")
        == "Govee H5074, 20.13 °C, 46.66 %, battery 100 %")
    #expect(
      text(0x8801, "ec000101 1e0a 1912 64", "Govee_H5179_1234")
        == "Govee H5179, 25.90 °C, 46.33 %, battery 100 %")
    #expect(
      text(0x0001, "0100 01 03519e 64 00 00", "B51781234")
        == "Govee H5178, 21.7 °C, 50.2 %, battery 100 %, remote yes")
    #expect(text(0x0001, "0101 03519e 02b2 00", "GV5140_1234") == "Govee H5140, 21.7 °C, 50.2 %, CO2 690 ppm")
    #expect(
      text(0x0001, "0101 0d2b1a6b", "GVH5106_1234") == "Govee H5106, 22.0 °C, 92.8 %, PM2.5 619 µg/m³")
    #expect(
      text(0x0001, "0101 03519e 64 00 82", "GV5112_1234") == "Govee H5112, battery 100 %, probe 2 21.7 °C")
    #expect(text(0x0001, "0101 03519e 64 00 01", "GV5112_1234") == nil)
    #expect(text(0x8803, "ec000101 01 11", nil) == "Govee H5127, present yes, moving yes")
    #expect(text(0x8803, "ec000301 01 11", nil) == nil)
  }

  @Test("The probes of Govee's grill thermometers are numbered across their groups")
  func goveeProbes() {
    // Recognized by the service alone.
    #expect(
      text(0xd14b, "0000000000000000 0a28 1c20 ffff", nil, [0x8151])
        == "Govee H5181, probe 1 26.00 °C, alarm 72.00 °C")
    #expect(
      text(0x1b36, "000000000000 02 00 0a28 ffff 00 ffff 1c20 ", "GVH5184")
        == "Govee H5184, probe 3 26.00 °C, alarm 72.00 °C")
    #expect(
      text(0x3022, "000000000000 41 00 0a28 1c20 0000 0a8c 1c20 00c8", "GVH5198")
        == "Govee H5198, probe 1 26.00 °C, alarm 72.00 °C, low alarm 0.00 °C, probe 2 27.00 °C, alarm 72.00 °C, "
        + "low alarm 2.00 °C")
    #expect(
      text(0x1234, "0000 64 4c 00 1900 ffff 3c00 00 1a00 0500 ffff 0000", nil, [0x5550])
        == "Govee H5055, battery 100 %, probe 3 25 °C, alarm 60 °C, probe 4 26 °C, low alarm 5 °C")
    #expect(text(0x1b36, "000000000000 03 00 0a28 ffff 00 ffff 1c20 ", "GVH5184") == nil)
  }

  @Test("ThermoPro's values start in the place of the company")
  func thermoPro() {
    #expect(text(0xe6c2, "00 2d 02 2c", "TP357 (1234)") == "ThermoPro TP357, 23.0 °C, 45 %, battery 100 %")
    #expect(text(0xffc2, "ff 2d 00 2c", "TP393 (1234)") == "ThermoPro TP393, -0.1 °C, 45 %, battery 1 %")
    #expect(text(0xffc2, "ff ff 01 2c", "TP357 (1234)") == "ThermoPro TP357, battery 50 %")
    #expect(
      text(0x4100, "00 6009 3200", "TP96 (1234)")
        == "ThermoPro TP96, probe 1, 35 °C, ambient 20 °C, battery 2400 mV")
    #expect(
      text(0x7a00, "00 6009 00008243 00008243 00008243 000000000000", "TP972 (1234)")
        == "ThermoPro TP972, probe 1, 96.67 °C, center 96.67 °C, end 96.67 °C, ambient 20.00 °C, battery 2400 mV"
    )
    // Not a number.
    #expect(text(0x7a00, "00 6009 0000c07f 00008243 00008243 000000000000", "TP972 (1234)") == nil)
    #expect(text(0xe6c2, "00 2d 02 2c", "Piano") == nil)
    #expect(text(0xe6c2, "00 2d 02 2c", nil) == nil)
  }

  @Test("Of several values in the place of a company, none is taken for the current one")
  func severalCompanies() {
    let first = AdvertisedData.manufacturer(0xe6c2, hex("002d022c"))
    let second = AdvertisedData.manufacturer(0xe7c2, hex("002d022c"))
    #expect(AdvertisedContext(localName: "TP357 (1234)", data: [first]).formats.map(\.type) == ["thermopro"])
    #expect(AdvertisedContext(localName: "TP357 (1234)", data: [first, second]).formats.isEmpty)
    let bird = AdvertisedData.manufacturer(0x08fc, hex("fc1200c75a64 08"))
    #expect(AdvertisedContext(localName: "sps", data: [bird]).formats.map(\.type) == ["inkbird"])
    #expect(AdvertisedContext(localName: "sps", data: [bird, second]).formats.isEmpty)
  }

  @Test("Inkbird's models are told apart by name and length")
  func inkbird() {
    #expect(text(0x08fc, "fc12 00 c75a 64 08", "sps") == "Inkbird 23.00 °C, 48.60 %, battery 100 %")
    #expect(text(0xfff6, "0000 00 c75a 64 08", "tps") == "Inkbird -0.10 °C, battery 100 %")
    #expect(text(0xfb76, "0000 00 1080 59 08", "tps") == "Inkbird -11.62 °C, battery 89 %")
    // What cannot be is not a reading.
    #expect(text(0x08fc, "ffff 00 c75a 64 08", "sps") == nil)
    #expect(text(0x08fc, "fc12 00 c75a 65 08", "sps") == nil)
    #expect(
      text(0x2449, "01020304 e600 e601 64 00 00 00 00000000", "ITH-11-B")
        == "Inkbird 23.0 °C, 48.6 %, battery 100 %")
    #expect(
      text(0x2449, "01020304 e600 0000 64 00 00 00 00000000", nil, [0xfff0])
        == "Inkbird 23.0 °C, battery 100 %")
    #expect(text(0x2449, "01020304 e600 0000 64 00 00 00 00000000", nil) == nil)
    #expect(
      text(0x0000, "0000aabbccddeeff e600 ffff", "iBBQ") == "Inkbird probe 1 23.0 °C")
    // Other marks of an empty socket: InkBird_BLE2MQTT #4, and theengs/decoder.
    #expect(
      text(0x0000, "0000aabbccddeeff f6ff 8a02", "iBBQ") == "Inkbird probe 2 65.0 °C")
    #expect(text(0x0000, "0000aabbccddeeff 0000 feff", "iBBQ") == "Inkbird probe 1 0.0 °C")
    #expect(
      text(0x3254, "006200a1c3de 00 00 00e6 01e6 0320 91", nil) == "Inkbird 23.0 °C, 48.6 %, CO2 800 ppm")
    #expect(
      text(0x3254, "006200a1c3de 00 02 02a3 01e6 0320 91", nil) == "Inkbird 19.72 °C, 48.6 %, CO2 800 ppm")
  }

  /// Written by the tables of docs.ruuvi.com for data formats 6 and E1.
  @Test("Ruuvi's air monitors are understood, with what is not available left out")
  func ruuviAir() {
    #expect(
      text(0x0499, "06170c5668c79e007000c90501d9ffcd004c884f", nil)
        == "Ruuvi Air 29.500 °C, 55.3000 %, 101102 Pa, PM2.5 11.2 µg/m³, CO2 201 ppm, VOC index 10, NOx index 2, "
        + "13026.67 lx, sequence 205, calibrating no, 4C:88:4F")
    #expect(
      text(0x0499, "068000ffffffffffffffffffffffffffffffffff", nil)
        == "Ruuvi Air sequence 255, calibrating yes")
    #expect(
      text(0x0499, "e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee10ffffffffffcbb8334c884f", nil)
        == "Ruuvi Air 29.500 °C, 55.3000 %, 101102 Pa, PM1 10.1 µg/m³, PM2.5 11.2 µg/m³, PM4 121.3 µg/m³, "
        + "PM10 455.4 µg/m³, CO2 201 ppm, VOC index 20, NOx index 4, 13027.00 lx, sequence 14601710, calibrating no, "
        + "CB:B8:33:4C:88:4F")
    #expect(
      text(0x0499, "06170c5668c79e007000c90501d9ffcd004c88", nil)
        == "Ruuvi Air rest 06170c5668c79e007000c90501d9ffcd004c88 (1 byte missing)")
  }

  @Test("Shelly's blocks are read up to the first unknown one")
  func shelly() {
    #expect(
      text(0x0ba9, "010500 0b0300 0aa0e361b6c67c", nil)
        == "Shelly model BLU H&T, flags discoverable, rpc-over-ble, 7C:C6:B6:61:E3:A0")
    #expect(text(0x0ba9, "0b9910 0c01", nil) == "Shelly model 1099, rest 0c01 (block 0x0c is not known)")
    #expect(text(0x0ba9, "0b0300 0102", nil) == "Shelly model BLU H&T, rest 0102 (the last block is cut off)")
    #expect(text(0x0ba9, "0c01", nil) == nil)
  }

  @Test("Buttons and dimmers of Shelly BLU are objects of BTHome")
  func buttons() {
    func text(_ data: String) -> String? {
      AdvertisedFormats.decode(service: BTHome.service, data: hex(data))?.text
    }
    #expect(
      text("44 00b2 0164 2e4c 4595ff")
        == "BTHome packet 178, battery 100 %, humidity 76 %, -10.7 °C, triggered yes")
    #expect(
      text("44 0007 0164 3a01 3a04")
        == "BTHome packet 7, battery 100 %, button press, button long press, triggered yes")
    #expect(text("44 0007 0164 3c0203") == "BTHome packet 7, battery 100 %, dimmer 3, triggered yes")
  }
}
