// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import BLEFormats

/// The Characteristic Extended Properties descriptor, whose value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"
/// The Characteristic User Description descriptor, whose value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"
/// The Client Characteristic Configuration descriptor, whose value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"
/// The Server Characteristic Configuration descriptor, whose value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"
/// The Characteristic Presentation Format descriptor, whose value is `Data`.
public let CBUUIDCharacteristicFormatString: String = "2904"
/// The Characteristic Aggregate Format descriptor, whose value is `Data`.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"
/// The Valid Range descriptor, whose value is `Data`.
public let CBUUIDCharacteristicValidRangeString: String = "2906"
/// The Observation Schedule descriptor, whose value is `Data`.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"
/// The characteristic in which a device announces the PSM of an L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"

extension CBUUID {
  /// The names that descriptions use instead of numbers; other numbers have none.
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
