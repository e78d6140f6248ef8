// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The name, a `String`; BlueZ does not say whether it was advertised now, or is remembered.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"
/// `Data`: the company identifier, its lower byte first, and the bytes.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
/// `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
/// `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"
/// `[CBUUID]`; never present on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
/// An `NSNumber`, in dBm.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"
/// An `NSNumber`; always 1 on Linux, since BlueZ does not say.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
/// `[CBUUID]`; never present on Linux.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
