// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

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

/// The number of an L2CAP channel.
public typealias CBL2CAPPSM = UInt16
