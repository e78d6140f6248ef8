// SPDX-License-Identifier: MIT

/// A service published by ``PeripheralManager/add(_:timeout:)->PublishedService``.
///
/// It stays published when bluetoothd ends and comes back, until ``PeripheralManager/remove(_:timeout:)``.
public struct PublishedService: Sendable, Hashable {
  /// The manager that publishes it.
  public let manager: PeripheralManager
  /// The UUID, which tells the kind of service.
  public let uuid: BluetoothUUID
  /// Its characteristics, in order.
  public let characteristics: [PublishedCharacteristic]
  /// The characteristics of its included services, each service after those that it includes itself.
  public let includedCharacteristics: [PublishedCharacteristic]
  let number: Int
  let id: LocalService.ID

  /// Returns its first characteristic with a UUID.
  ///
  /// - Parameter uuid: the UUID of the characteristic.
  /// - Returns: the characteristic; nil if there is none.
  public func characteristic(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
    characteristics.first { $0.uuid == uuid }
  }

  /// Returns whether both are the same service of the same manager.
  public static func == (left: PublishedService, right: PublishedService) -> Bool {
    left.manager === right.manager && left.number == right.number && left.id == right.id
  }

  /// Hashes the identity of the service.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
