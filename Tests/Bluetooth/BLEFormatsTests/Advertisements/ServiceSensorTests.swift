// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

/// The formats of sensors in service data.
@Suite("Sensors' service data")
struct ServiceSensorTests {
  private func text(_ service: UInt16, _ data: String) -> String? {
    AdvertisedFormats.decode(service: BluetoothUUID(short: service), data: hex(data))?.text
  }

  @Test("Qingping's values have a kind and a length each")
  func qingping() {
    #expect(
      text(0xfdcd, "0810 a0e361b6c67c 0104e6003502 020150")
        == "Qingping CGDK2, 23.0 °C, 56.5 %, battery 80 %, 7C:C6:B6:61:E3:A0")
    #expect(
      text(0xfdcd, "0824 a0e361b6c67c 0104e6003502 12040a001400 13022003 02 01ff")
        == "Qingping CGDN1, 23.0 °C, 56.5 %, PM2.5 10 µg/m³, PM10 20 µg/m³, CO2 800 ppm, external power yes, "
        + "7C:C6:B6:61:E3:A0")
    #expect(
      text(0xfdcd, "0812 a0e361b6c67c 080401050000") == "Qingping CGPR1, motion yes, 5 lx, 7C:C6:B6:61:E3:A0")
    // The illuminance of an event is none.
    #expect(text(0xfdcd, "4812 a0e361b6c67c 080401050000") == "Qingping CGPR1, motion yes, 7C:C6:B6:61:E3:A0")
    #expect(
      text(0xfdcd, "0804 a0e361b6c67c 040102 0f0107")
        == "Qingping CGH1, open yes, left open yes, packet 7, 7C:C6:B6:61:E3:A0")
    #expect(
      text(0xfdcd, "0810 a0e361b6c67c 020150 0104e600")
        == "Qingping CGDK2, battery 80 %, 7C:C6:B6:61:E3:A0, rest 0104e600 (the last value is cut off)")
    // A kind that is not known, and a length that is not that of its kind.
    #expect(
      text(0xfdcd, "0810 a0e361b6c67c 990105 020150 0403000000")
        == "Qingping CGDK2, battery 80 %, 7C:C6:B6:61:E3:A0, rest 9901050403000000")
    #expect(text(0xfdcd, "08ee a0e361b6c67c 020150") == nil)
    #expect(text(0xfdcd, "0810 a0e361b6c6") == nil)
  }

  @Test("Xiaomi's scales show the unit that they display")
  func scales() {
    #expect(
      text(0x181d, "22 a041 e907 0b 19 050a1e")
        == "Xiaomi scale 84.000 kg, stable yes, removed no, 2025-11-25T05:10:30")
    #expect(
      text(0x181d, "a3 1027 e907 0b 19 050a1e")
        == "Xiaomi scale 100.00 lb, stable yes, removed yes, 2025-11-25T05:10:30")
    #expect(
      text(0x181b, "02 26 e907 0b 19 050a1e f401 a041")
        == "Xiaomi scale 84.000 kg, impedance 500 Ω, stable yes, removed no, 2025-11-25T05:10:30")
    #expect(
      text(0x181b, "02 40 0000 00 00 000000 f401 1027") == "Xiaomi scale 100.00 jin, stable no, removed no")
    #expect(
      text(0x181b, "02a6 e407 09 06 0d232e e901 5a37")
        == "Xiaomi scale 70.850 kg, impedance 489 Ω, stable yes, removed yes, 2020-09-06T13:35:46")
    #expect(text(0x181b, "02 26 e907 0b 19 050a1e f401") == nil)
  }

  @Test("Audio broadcasts have an identifier, and public ones say how they sound")
  func auracast() {
    #expect(text(0x1852, "563412") == "Audio broadcast 123456")
    #expect(text(0x1852, "563412 07") == "Audio broadcast 123456, rest 07")
    #expect(text(0x1852, "5634") == "Audio broadcast rest 5634 (1 byte missing)")
    #expect(text(0x1856, "0200") == "Auracast encrypted no, quality standard")
    #expect(
      text(0x1856, "07 0b 05034e657773 0404656e67")
        == "Auracast encrypted yes, quality standard, high, program News, language eng")
    #expect(
      text(0x1856, "02 08 0302ff00 0404656e")
        == "Auracast encrypted no, quality standard, rest 0302ff000404656e (the last entry of the metadata is cut off)"
    )
    #expect(text(0x1856, "0703 05") == nil)
    let raw = RawAdvertisement(hex("06304c6f626279 0616521856341200"))
    #expect(raw.broadcastName == "Lobby")
    #expect(raw.fields.text.hasPrefix("broadcast Lobby, Audio broadcast 123456"))
  }

  @Test("SwitchBot's two parts show what each contains, and the model is in the service data")
  func switchBot() {
    func texts(_ service: String, _ manufacturer: String) -> [String] {
      let data: [AdvertisedData] = [
        .manufacturer(0x0969, hex(manufacturer)), .service(BluetoothUUID(short: 0xfd3d), hex(service)),
      ]
      return AdvertisedContext(data: data).formats.map(\.text)
    }
    #expect(text(0xfd3d, "54 00 e4 05 97 30") == "SwitchBot meter, 23.5 °C, 48 %, battery 100 %")
    #expect(text(0x0d00, "54 00 64 05 17 30") == "SwitchBot meter, -23.5 °C, 48 %, battery 100 %")
    #expect(
      texts("77 00 64", "aabbccddeeff 05 00 05 97 30 00")
        == ["SwitchBot meter, 23.5 °C, 48 %", "SwitchBot meter, battery 100 %"])
    #expect(
      texts("35 00 64", "aabbccddeeff 05 00 05 97 30 00 00 0320")
        == ["SwitchBot co2-meter, 23.5 °C, 48 %, CO2 800 ppm", "SwitchBot co2-meter, battery 100 %"])
    #expect(text(0xfd3d, "48 80 64") == "SwitchBot bot, switch mode yes, on yes, battery 100 %")
    #expect(
      texts("64 00 64", "aabbccddeeff 05 b0 00000000 03")
        == [
          "SwitchBot contact, motion yes, open yes, left open yes, light no, presses 3",
          "SwitchBot contact, battery 100 %",
        ])
    #expect(
      texts("67 00 00", "aabbccddeeff 05 80 00 2d 00e6")
        == ["SwitchBot plug, on yes, 23.0 W, Wi-Fi -45 dBm", "SwitchBot plug"])
    #expect(
      texts("63 40 64", "aabbccddeeff 05 00 9e 30 00")
        == [
          "SwitchBot curtain, closed 30 %, moving yes, light level 3",
          "SwitchBot curtain, calibrated yes, battery 100 %",
        ])
    // A thermometer that has not measured yet has nothing to show, and an unknown model neither.
    #expect(texts("77 00 64", "aabbccddeeff 05 00 00 80 00 00") == ["SwitchBot meter, battery 100 %"])
    #expect(texts("7f 00 64", "aabbccddeeff 05 00 05 97 30 00").isEmpty)
    #expect(
      AdvertisedFormats.decode(company: SwitchBot.company, data: hex("aabbccddeeff050005973000")) == nil)
  }
}
