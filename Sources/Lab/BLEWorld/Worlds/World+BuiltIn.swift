// SPDX-License-Identifier: MIT
internal import BLEFormats

extension World {
  /// The default world (docs/built-in-world.md).
  package static let builtIn = World(peripherals: [
    .miBand, .piano, .heartStrap, .thermometer, .beacon, .eddystone, .ruuviTag, .bthomeSensor,
    .freezer,
  ])
}

extension PeripheralSpec {
  /// A keyboard with lamps: it answers a request for a tone with a key press.
  static let piano = PeripheralSpec(
    address: "D0:B5:C2:0A:0B:0C",
    advertisement: AdvertisementSpec(
      name: "Piano", services: [BluetoothUUID(0xFFE0), BluetoothUUID(0xFFE1)], rssi: -63),
    services: [
      ServiceSpec(BluetoothUUID(0xFFE0), [CharacteristicSpec(BluetoothUUID(0xFFE2), 0x10)]),
      ServiceSpec(
        BluetoothUUID(0xFFE1),
        [
          CharacteristicSpec(
            BluetoothUUID(0xFFE3), 0x08,
            writing: .answer([
              WriteAnswer(
                to: [0xF0, 0x3D, 0x3D, nil, 0x02, 0xF7], with: [0x9F, 0x54, nil], on: BluetoothUUID(0xFFE2))
            ]))
        ]),
    ])

  static let heartStrap = PeripheralSpec(
    address: "F0:F1:F2:F3:F4:F5",
    advertisement: AdvertisementSpec(
      name: "Heart Strap", scanResponse: [.name], services: [BluetoothUUID(0x180D), BluetoothUUID(0x180F)],
      rssi: -71),
    services: [
      ServiceSpec(
        BluetoothUUID(0x180D),
        [
          CharacteristicSpec(BluetoothUUID(0x2A37), 0x10, notifying: .heartRate),
          CharacteristicSpec(BluetoothUUID(0x2A38), 0x02, value: [0x01]),
          CharacteristicSpec(BluetoothUUID(0x2A39), 0x08),
        ]),
      ServiceSpec(BluetoothUUID(0x180F), [CharacteristicSpec(BluetoothUUID(0x2A19), 0x12, value: [0x57])]),
      ServiceSpec(
        BluetoothUUID(0x180A),
        [
          CharacteristicSpec(BluetoothUUID(0x2A29), 0x02, value: Array("Example Devices".utf8)),
          CharacteristicSpec(BluetoothUUID(0x2A24), 0x02, value: Array("HS-1".utf8)),
        ]),
    ])

  static let thermometer = PeripheralSpec(
    address: "E7:10:20:30:40:50",
    advertisement: AdvertisementSpec(
      name: "Thermometer", services: [BluetoothUUID(0x1809), BluetoothUUID(0x181A)], txPower: 4, rssi: -49),
    services: [
      ServiceSpec(
        BluetoothUUID(0x1809),
        [
          CharacteristicSpec(
            BluetoothUUID(0x2A1C), 0x20,
            notifying: .cycle([[0x00, 0x6E, 0x01, 0x00, 0xFF]], every: .seconds(1))),
          CharacteristicSpec(BluetoothUUID(0x2A1D), 0x02, value: [0x02]),
        ]),
      ServiceSpec(
        BluetoothUUID(0x181A),
        [
          CharacteristicSpec(
            BluetoothUUID(0x2A6E), 0x12, value: [0x66, 0x08],
            notifying: .cycle([[0x66, 0x08]], every: .seconds(1))),
          CharacteristicSpec(BluetoothUUID(0x2A6F), 0x02, value: [0xA0, 0x11]),
        ]),
    ])
}

extension NotifyBehaviour {
  /// A pulse that climbs from 60 to 99 and restarts, notified twice a second.
  static let heartRate = NotifyBehaviour.cycle((60...99).map { [0x00, $0] }, every: .milliseconds(500))
}
