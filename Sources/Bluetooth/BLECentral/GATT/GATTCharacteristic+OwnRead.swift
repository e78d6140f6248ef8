// SPDX-License-Identifier: MIT
internal import BlueZClient

extension BluetoothUUID {
  /// The battery level, which BlueZ reads by itself over each link, before it reports services that it knows already.
  static let readByBlueZ = BluetoothUUID(0x2a19)
}

extension GATTCharacteristic {
  /// True if BlueZ reads the value by itself over each link.
  package var isReadByBlueZ: Bool { uuid == .readByBlueZ }
}
