// SPDX-License-Identifier: MIT

/// A characteristic of a service; `org.bluez.GattCharacteristic1`, CoreBluetooth's `CBCharacteristic`.
public struct GATTCharacteristic: Sendable, Hashable, Identifiable {
  let path: String
  let devicePath: String
  /// Identifies the characteristic on its device, even among characteristics with the same UUID.
  public var id: String { path }
  /// The characteristic's UUID.
  public let uuid: BluetoothUUID
  /// The UUID of its service.
  public let service: BluetoothUUID
  /// The attribute handle of its declaration, the number BlueZ uses; 0 when BlueZ does not provide it.
  ///
  /// The handle of the value is the next one.
  public let handle: UInt16
  /// The attribute handle of its value, by which other stacks name the characteristic; 0 when BlueZ does not provide it.
  public var valueHandle: UInt16 { handle == 0 ? 0 : handle &+ 1 }
  /// The permitted operations.
  public let properties: CharacteristicProperties
  /// The ATT MTU of the link in bytes; nil before BlueZ 5.62.
  ///
  /// A write without response or a notification carries up to 3 bytes less.
  public let mtu: Int?
  /// Its descriptors, by handle.
  public let descriptors: [GATTDescriptor]
}
