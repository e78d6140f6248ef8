// SPDX-License-Identifier: MIT

/// A service of a connected device; `org.bluez.GattService1`, CoreBluetooth's `CBService`.
public struct GATTService: Sendable, Hashable, Identifiable {
  let path: String
  /// Identifies the service on its device, also when UUIDs are equal.
  public var id: String { path }
  /// The service's UUID.
  public let uuid: BluetoothUUID
  /// The attribute handle of its declaration; 0 when BlueZ does not provide it.
  public let handle: UInt16
  /// Whether it is a primary service.
  public let isPrimary: Bool
  /// The handles of the services that it includes.
  public let includedServices: [UInt16]
  /// Its characteristics, by handle.
  public let characteristics: [GATTCharacteristic]
}

/// A characteristic of a service; `org.bluez.GattCharacteristic1`, CoreBluetooth's `CBCharacteristic`.
public struct GATTCharacteristic: Sendable, Hashable, Identifiable {
  let path: String
  let devicePath: String
  /// Identifies the characteristic on its device, also when UUIDs are equal.
  public var id: String { path }
  /// The characteristic's UUID.
  public let uuid: BluetoothUUID
  /// The UUID of its service.
  public let service: BluetoothUUID
  /// The attribute handle of its declaration, as BlueZ numbers characteristics; 0 when BlueZ does not provide it.
  ///
  /// The value has the handle behind it.
  public let handle: UInt16
  /// The permitted operations.
  public let properties: CharacteristicProperties
  /// The ATT MTU of the link in bytes; nil before BlueZ 5.62.
  ///
  /// A write without response, and a notification, carry up to 3 bytes less.
  public let mtu: Int?
  /// Its descriptors, by handle.
  public let descriptors: [GATTDescriptor]
}

/// A descriptor of a characteristic; `org.bluez.GattDescriptor1`, CoreBluetooth's `CBDescriptor`.
public struct GATTDescriptor: Sendable, Hashable, Identifiable {
  let path: String
  let devicePath: String
  /// Identifies the descriptor on its device.
  public var id: String { path }
  /// The descriptor's UUID.
  public let uuid: BluetoothUUID
  /// The attribute handle; 0 when BlueZ does not provide it.
  public let handle: UInt16
}
