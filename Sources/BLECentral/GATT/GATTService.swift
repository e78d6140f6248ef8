// SPDX-License-Identifier: MIT

/// A service of a connected device; `org.bluez.GattService1`, CoreBluetooth's `CBService`.
public struct GATTService: Sendable, Hashable, Identifiable {
  let path: String
  /// Identifies the service on its device, even among services with the same UUID.
  public var id: String { path }
  /// The service's UUID.
  public let uuid: BluetoothUUID
  /// The attribute handle of its declaration; 0 when BlueZ does not provide it.
  public let handle: UInt16
  /// Whether it is a primary service.
  public let isPrimary: Bool
  /// The handles of its included services.
  public let includedServices: [UInt16]
  /// Its characteristics, by handle.
  public let characteristics: [GATTCharacteristic]
}
