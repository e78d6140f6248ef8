// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// `Bool`: whether to warn the user while Bluetooth is off; without effect on Linux.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: accepted, but nothing is restored on Linux.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
/// `[CBMutableService]`; nothing is restored on Linux.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
/// `[String: Any]`; nothing is restored on Linux.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
