// SPDX-License-Identifier: MIT
internal import BLEFormats

extension PeripheralSpec {
  /// A wristband with many services, as in the scenario of the same name.
  static let miBand = PeripheralSpec(
    address: "C8:0F:10:01:02:03",
    advertisement: AdvertisementSpec(
      name: "MI Band 2", services: [BluetoothUUID(0xFEE0)],
      manufacturerData: [.init(company: 0x0157, bytes: [0x01, 0x00, 0xC8, 0x0F, 0x10, 0x01, 0x02, 0x03])],
      rssi: -58),
    services: [
      ServiceSpec(
        BluetoothUUID(0x180A),
        [
          CharacteristicSpec(BluetoothUUID(0x2A25), 0x02, value: Array("0123456789ab".utf8)),
          CharacteristicSpec(BluetoothUUID(0x2A27), 0x02, value: Array("V0.1.3.3".utf8)),
          CharacteristicSpec(BluetoothUUID(0x2A28), 0x02, value: Array("V1.0.1.81".utf8)),
          CharacteristicSpec(
            BluetoothUUID(0x2A23), 0x02, value: [0xC8, 0x0F, 0x10, 0xFF, 0xFE, 0x01, 0x02, 0x03]),
          CharacteristicSpec(
            BluetoothUUID(0x2A50), 0x02, value: [0x01, 0x57, 0x01, 0x08, 0x00, 0x81, 0x01]),
        ]),
      ServiceSpec(
        own(0x1530), [CharacteristicSpec(own(0x1531), 0x18), CharacteristicSpec(own(0x1532), 0x04)]),
      ServiceSpec(
        BluetoothUUID(0x1811),
        [CharacteristicSpec(BluetoothUUID(0x2A46), 0x08), CharacteristicSpec(BluetoothUUID(0x2A44), 0x1A)]),
      ServiceSpec(BluetoothUUID(0x1802), [CharacteristicSpec(BluetoothUUID(0x2A06), 0x04)]),
      ServiceSpec(
        BluetoothUUID(0x180D),
        [
          CharacteristicSpec(BluetoothUUID(0x2A37), 0x10, notifying: .heartRate),
          CharacteristicSpec(BluetoothUUID(0x2A39), 0x0A),
        ]),
      ServiceSpec(
        BluetoothUUID(0xFEE0),
        [
          CharacteristicSpec(
            BluetoothUUID(0x2A2B), 0x1A,
            value: [0xE2, 0x07, 0x04, 0x0C, 0x0C, 0x22, 0x29, 0x01, 0x00, 0x00, 0x20]),
          CharacteristicSpec(own(0x0001), 0x14), CharacteristicSpec(own(0x0002), 0x10),
          CharacteristicSpec(own(0x0003), 0x14), CharacteristicSpec(BluetoothUUID(0x2A04), 0x16),
          CharacteristicSpec(own(0x0004), 0x16), CharacteristicSpec(own(0x0005), 0x10),
          CharacteristicSpec(own(0x0006), 0x12, value: [0x0F, 0x5A, 0x00, 0xE2, 0x07, 0x04]),
        ]),
      ServiceSpec(
        BluetoothUUID(0xFEE1),
        [
          CharacteristicSpec(own(0x0009), 0x16), CharacteristicSpec(BluetoothUUID(0xFEDD), 0x08),
          CharacteristicSpec(BluetoothUUID(0xFEDE), 0x02), CharacteristicSpec(BluetoothUUID(0xFEDF), 0x02),
          CharacteristicSpec(BluetoothUUID(0xFED0), 0x0A), CharacteristicSpec(BluetoothUUID(0xFED1), 0x0A),
          CharacteristicSpec(BluetoothUUID(0xFED2), 0x02), CharacteristicSpec(BluetoothUUID(0xFED3), 0x0A),
          CharacteristicSpec(own(0xFEC1), 0x1A),
        ]),
    ])

  /// Returns a UUID of the vendor's own family.
  private static func own(_ number: UInt32) -> BluetoothUUID {
    BluetoothUUID(number, base: 0x0000_3512_2118_0009_af10_0700)
  }
}
