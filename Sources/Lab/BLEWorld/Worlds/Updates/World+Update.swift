// SPDX-License-Identifier: MIT
internal import BLEFormats

extension World {
  /// Devices whose firmware can be updated (docs/world.md): one for each protocol.
  package static let update = World(peripherals: [.sensor, .strap, .watch])

  /// Returns the built-in world with a name, such as `update`; nil for other names.
  package static func named(_ name: String) -> World? { name == "update" ? update : nil }
}

extension PeripheralSpec {
  /// A sensor with MCUboot, which swaps images.
  fileprivate static let sensor = PeripheralSpec(
    address: "C6:0D:A7:E0:00:01",
    advertisement: AdvertisementSpec(name: "Sensor", services: [BluetoothUUID(0x181A)], rssi: -52),
    services: [
      ServiceSpec(
        BluetoothUUID(0x181A),
        [
          CharacteristicSpec(
            BluetoothUUID(0x2A6E), 0x12, value: [0x66, 0x08],
            notifying: .cycle([[0x66, 0x08], [0x70, 0x08]], every: .seconds(1)))
        ])
    ],
    smp: SMPSpec { spec in
      spec.version = "1.2.3"
      spec.shell = [
        NamedText("kernel version", "Zephyr version 4.1.0\n"), NamedText("device list", "devices:\n"),
      ]
      spec.files = [NamedBytes("/lfs/notes.txt", Array("calibrated 2026-04-12\n".utf8))]
      spec.settings = [NamedBytes("sensor/interval", [60, 0])]
      spec.statistics = [NamedCounters("radio", [.init("sent", 1204), .init("lost", 3)])]
    }, mtu: 247)

  /// A strap with a Secure DFU boot loader at the next address.
  fileprivate static let strap = PeripheralSpec(
    address: "C6:0D:A7:E0:00:11",
    advertisement: AdvertisementSpec(name: "Strap", services: [BluetoothUUID(0x180D)], rssi: -61),
    services: [
      ServiceSpec(
        BluetoothUUID(0x180D), [CharacteristicSpec(BluetoothUUID(0x2A37), 0x10, notifying: .heartRate)])
    ], dfu: DFUSpec(.secure) { $0.version = "1.0.0" }, mtu: 247)

  /// A watch whose running firmware takes Legacy DFU.
  fileprivate static let watch = PeripheralSpec(
    address: "C6:0D:A7:E0:00:21",
    advertisement: AdvertisementSpec(name: "Watch", services: [BluetoothUUID(0x180F)], rssi: -57),
    services: [
      ServiceSpec(BluetoothUUID(0x180F), [CharacteristicSpec(BluetoothUUID(0x2A19), 0x12, value: [0x57])])
    ],
    dfu: DFUSpec(.legacy) { spec in
      spec.version = "1.14.0"
      spec.jumps = false
    }, mtu: 247)
}
