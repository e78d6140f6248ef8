// SPDX-License-Identifier: MIT
internal import BLEFormats

extension PeripheralSpec {
  static let beacon = PeripheralSpec(
    address: "C1:BE:AC:00:00:01",
    advertisement: AdvertisementSpec(
      manufacturerData: [
        .init(
          company: 0x004C,
          bytes: [
            0x02, 0x15, 0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10,
            0x96,
            0xE0, 0x00, 0x01, 0x00, 0x02, 0xC5,
          ])
      ], isConnectable: false, rssi: -67))

  static let eddystone = PeripheralSpec(
    address: "C1:BE:AC:00:00:02",
    advertisement: AdvertisementSpec(
      services: [BluetoothUUID(0xFEAA)],
      serviceData: [
        .init(service: BluetoothUUID(0xFEAA), bytes: [0x10, 0xEE, 0x03] + Array("example".utf8) + [0x07])
      ], isConnectable: false, rssi: -80))

  static let ruuviTag = PeripheralSpec(
    address: "C1:BE:AC:00:00:03",
    advertisement: AdvertisementSpec(
      manufacturerData: [
        .init(
          company: 0x0499,
          bytes: [
            0x05, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C, 0xAC, 0x36, 0x42,
            0x00,
            0xCD, 0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F,
          ])
      ], isConnectable: false, rssi: -88))

  /// A sensor in the open format BTHome: packet 42, battery 100 %, 25.06 °C, 50.55 %.
  static let bthomeSensor = PeripheralSpec(
    address: "C5:EA:50:00:00:01",
    advertisement: AdvertisementSpec(
      name: "Garden",
      serviceData: [
        .init(
          service: BluetoothUUID(0xFCD2),
          bytes: [0x40, 0x00, 0x2A, 0x01, 0x64, 0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13])
      ], isConnectable: false, rssi: -75))

  /// A Xiaomi thermometer with the firmware of pvvx: -18.44 °C, 47.26 %, battery 90 % and 2970 mV.
  static let freezer = PeripheralSpec(
    address: "E4:C1:38:56:53:84",
    advertisement: AdvertisementSpec(
      serviceData: [
        .init(
          service: BluetoothUUID(0x181A),
          bytes: [
            0x84, 0x53, 0x56, 0x38, 0xC1, 0xE4, 0xCC, 0xF8, 0x76, 0x12, 0x9A, 0x0B, 0x5A, 0x42, 0x05,
          ])
      ], isConnectable: false, rssi: -83))
}
