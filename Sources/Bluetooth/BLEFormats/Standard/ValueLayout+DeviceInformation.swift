// SPDX-License-Identifier: MIT

extension ValueLayout {
  static func deviceInformation(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a23: ValueLayout("System ID", .plain("system_id", .hexNumber(8)))
    case 0x2a24: string("Model Number String", "model_number")
    case 0x2a25: string("Serial Number String", "serial_number")
    case 0x2a26: string("Firmware Revision String", "firmware_revision")
    case 0x2a27: string("Hardware Revision String", "hardware_revision")
    case 0x2a28: string("Software Revision String", "software_revision")
    case 0x2a29: string("Manufacturer Name String", "manufacturer_name")
    case 0x2a2a:
      ValueLayout(
        "IEEE 11073-20601 Regulatory Certification Data List",
        .plain("regulatory_certification_data", .bytes(.rest)))
    case 0x2a50:
      ValueLayout(
        "PnP ID", .choice("vendor_id_source", "source", Choice(.reserved, "Bluetooth SIG", "USB-IF")),
        .plain("vendor_id", "vendor", .hexNumber(2)), .plain("product_id", "product", .hexNumber(2)),
        .plain("product_version", "version", .hexNumber(2)))
    default: nil
    }
  }

  static func string(_ name: String, _ key: String, isWritable: Bool = false) -> ValueLayout {
    ValueLayout(name, isWritable: isWritable, .plain(key, .text(.rest)))
  }
}
