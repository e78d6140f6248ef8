// SPDX-License-Identifier: MIT

/// The services and characteristics of firmware updates.
package enum FirmwareUUID {
  /// The service of SMP, and its one characteristic.
  package static let smpService = BluetoothUUID(0x8d53_dc1d, base: 0x1db7_4cd3_868b_8a52_7460_aa84)
  package static let smp = BluetoothUUID(0xda2e_7828, base: 0xfbce_4e01_ae9e_2611_7499_7c48)

  /// The service of Nordic's Secure DFU, and the characteristics of its bootloader.
  package static let secureDFUService = BluetoothUUID(short: 0xfe59)
  package static let dfuControl = BluetoothUUID(0x8ec9_0001, base: secureBase)
  package static let dfuPacket = BluetoothUUID(0x8ec9_0002, base: secureBase)

  /// The characteristics with which an application jumps to its bootloader: without bonds, and with them.
  package static let buttonless = BluetoothUUID(0x8ec9_0003, base: secureBase)
  package static let buttonlessBonded = BluetoothUUID(0x8ec9_0004, base: secureBase)
  /// The one of SDK 12, whose service has the same UUID.
  package static let buttonlessExperimental = BluetoothUUID(0x8e40_0001, base: secureBase)

  /// The service of Legacy DFU, of SDK 11 and before, and its characteristics.
  package static let legacyService = BluetoothUUID(0x0000_1530, base: legacyBase)
  package static let legacyControl = BluetoothUUID(0x0000_1531, base: legacyBase)
  package static let legacyPacket = BluetoothUUID(0x0000_1532, base: legacyBase)
  package static let legacyVersion = BluetoothUUID(0x0000_1534, base: legacyBase)

  /// The Firmware Revision String of the Device Information, with the version that runs.
  package static let firmwareRevision = BluetoothUUID(short: 0x2a26)

  private static let secureBase: UInt128 = 0xf315_4f60_9fb8_8388_30da_ea50
  private static let legacyBase: UInt128 = 0x1212_efde_1523_785f_eabc_d123
}
