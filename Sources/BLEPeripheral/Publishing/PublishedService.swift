// SPDX-License-Identifier: MIT

/// A service that ``PeripheralManager/add(_:timeout:)`` has published.
///
/// It stays published when bluetoothd ends and comes back, until ``PeripheralManager/remove(_:timeout:)``.
public struct PublishedService: Sendable, Hashable {
  /// The manager that publishes it.
  public let manager: PeripheralManager
  /// What kind of service it is.
  public let uuid: BluetoothUUID
  /// Its characteristics, in order.
  public let characteristics: [PublishedCharacteristic]
  /// The characteristics of the services that it includes, each service behind those that it includes itself.
  public let includedCharacteristics: [PublishedCharacteristic]
  let number: Int

  /// Its first characteristic with a UUID.
  ///
  /// - Parameter uuid: the kind of value.
  /// - Returns: the characteristic; nil when there is none.
  public func characteristic(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
    characteristics.first { $0.uuid == uuid }
  }

  /// Whether both are the same service of the same manager.
  public static func == (left: PublishedService, right: PublishedService) -> Bool {
    left.manager === right.manager && left.number == right.number
  }

  /// Hashes what makes it that service.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
