// SPDX-License-Identifier: MIT
internal import BLEMeaning

extension CBUUID {
  /// The few names that descriptions use in place of numbers; all other numbers stay bare.
  private static let names: [UInt32: String] = [
    0x180a: "Device Information", 0x180d: "Heart Rate", 0x180f: "Battery",
    0x2a04: "Peripheral Preferred Connection Parameters", 0x2a19: "Battery Level",
    0x2a23: "System ID", 0x2a24: "Model Number String", 0x2a25: "Serial Number String",
    0x2a26: "Firmware Revision String", 0x2a27: "Hardware Revision String",
    0x2a28: "Software Revision String", 0x2a29: "Manufacturer Name String", 0x2a2b: "Current Time",
    0x2a50: "PnP ID", 0x2900: "Characteristic Extended Properties",
    0x2901: "Characteristic User Description", 0x2902: "Client Characteristic Configuration",
    0x2903: "Server Characteristic Configuration", 0x2904: "Characteristic Format",
    0x2905: "Characteristic Aggregate Format",
  ]

  static func name(of uuid: BluetoothUUID) -> String? { uuid.shortForm.flatMap { names[$0] } }
}
