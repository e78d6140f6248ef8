// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The name, a `String`; BlueZ does not report whether it is current or remembered.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"
/// `Data`: the company identifier, lower byte first, followed by the data.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
/// `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
/// `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"
/// `[CBUUID]`; never present on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
/// An `NSNumber`, in dBm.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"
/// An `NSNumber`; always 1 on Linux, since BlueZ does not report it.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
/// `[CBUUID]`; never present on Linux.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"

/// `Bool`: whether to warn the user while Bluetooth is off; without effect on Linux.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: accepted, but nothing is restored on Linux.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
/// `Bool`: without effect on Linux.
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

/// `Bool`: whether to report each advertisement, not only new data.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"
/// `[CBUUID]`: without effect on Linux, where BlueZ does not report solicited services.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String = "kCBScanOptionSolicitedServiceUUIDs"

/// `Bool`: without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "kCBConnectOptionNotifyOnConnection"
/// `Bool`: without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String =
  "kCBConnectOptionNotifyOnDisconnection"
/// `Bool`: without effect on Linux.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "kCBConnectOptionNotifyOnNotification"
/// An `NSNumber`: the seconds to wait before the first attempt.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"
/// `Bool`: without effect on Linux.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String =
  "kCBConnectOptionEnableTransportBridging"
/// `Bool`: without effect on Linux.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"
/// `Bool`: whether to reconnect when the link is lost.
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "kCBConnectOptionEnableAutoReconnect"

/// `[CBPeripheral]`; nothing is restored on Linux.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"
/// `[CBUUID]`; nothing is restored on Linux.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"
/// `[String: Any]`; nothing is restored on Linux.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// `Bool`: whether to warn the user while Bluetooth is off; without effect on Linux.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: accepted, but nothing is restored on Linux.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
/// `[CBMutableService]`; nothing is restored on Linux.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
/// `[String: Any]`; nothing is restored on Linux.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
