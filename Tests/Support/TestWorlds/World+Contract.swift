// SPDX-License-Identifier: MIT
internal import BLEFormats
package import BLEWorld

extension World {
  /// Two adapters that hear each other, and nothing else.
  package static let twoAdapters = World(
    adapters: [AdapterSpec(), AdapterSpec(name: "hci1", address: "00:1A:7D:DA:71:14")], peripherals: [])

  /// The built-in world and the peripherals of the contract suite; those for pairing are hidden.
  package static let contract = World(
    peripherals: builtIn.peripherals + [.contractBench, .hostileName, .bare] + pairing)
}

extension PeripheralSpec {
  /// A name with control characters that can harm a terminal.
  static let hostileName = PeripheralSpec(
    address: "C3:EE:11:00:00:01",
    advertisement: AdvertisementSpec(
      name: "Evil\u{1B}[31m\n\u{202E}X\tY", isConnectable: false, rssi: -90))

  /// Nothing but Generic Access, which BlueZ hides from clients.
  static let bare = PeripheralSpec(
    address: "C4:BA:4E:00:00:01", advertisement: AdvertisementSpec(name: "Bare", rssi: -66))

  /// One characteristic for each behaviour that a central must handle.
  static let contractBench = PeripheralSpec(
    address: "C2:B1:EC:00:00:01",
    advertisement: AdvertisementSpec(
      name: "Contract Bench", scanResponse: [.services], services: [bench(0x0001)], rssi: -42),
    services: [
      ServiceSpec(
        bench(0x0001),
        [
          CharacteristicSpec(bench(0x0101), 0x0A, value: (0..<512).map { UInt8(truncatingIfNeeded: $0) }),
          CharacteristicSpec(bench(0x0102), 0x0A, reading: .fails(0x85), writing: .fails(0x85)),
          CharacteristicSpec(bench(0x0103), 0x08),
          CharacteristicSpec(bench(0x0104), 0x02, value: Array("fixed".utf8)),
          CharacteristicSpec(bench(0x0105), 0x02, value: []),
          CharacteristicSpec(bench(0x0106), 0x0C, writing: .echo(to: bench(0x0107))),
          CharacteristicSpec(bench(0x0107), 0x12),
          CharacteristicSpec(bench(0x0108), 0x08, writing: .burst(to: bench(0x0109))),
          CharacteristicSpec(bench(0x0109), 0x10),
          CharacteristicSpec(bench(0x010A), 0x20),
          CharacteristicSpec(bench(0x010B), 0x08, writing: .echo(to: bench(0x010A))),
          CharacteristicSpec(bench(0x010C), 0x08, writing: .hangUp),
          CharacteristicSpec(bench(0x010D), 0x02, reading: .stall),
          CharacteristicSpec(bench(0x010E), 0x02, value: Array("slow".utf8), reading: .slow(.seconds(1))),
          CharacteristicSpec(bench(0x010F), 0x02, value: [0x01]),
          CharacteristicSpec(bench(0x010F), 0x02, value: [0x02]),
          CharacteristicSpec(
            bench(0x0110), 0x02, value: [0x2A],
            descriptors: [
              DescriptorSpec(BluetoothUUID(0x2901), value: Array("A described value".utf8)),
              DescriptorSpec(bench(0x0201), value: [0xCA, 0xFE], isWritable: true),
            ]),
        ]),
      ServiceSpec(bench(0x0002), [CharacteristicSpec(bench(0x010F), 0x02, value: [0x03])]),
    ],
    // As in Tests/System/Rig/peripherals/channels.py. The last two break the rules, and the kernel ends them.
    channels: [
      ChannelSpec(psm: 0x80), ChannelSpec(psm: 0x81, .hold), ChannelSpec(psm: 0x82, .close(after: 1000)),
      ChannelSpec(psm: 0x83, .close(after: 1)), ChannelSpec(psm: 0x84, .close(after: 1)),
    ])

  /// `B1ECxxxx-5C0E-4B1E-A5D2-6B2F0C7E91AA`.
  private static func bench(_ number: UInt32) -> BluetoothUUID {
    BluetoothUUID(0xB1EC_0000 + number, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa)
  }
}
