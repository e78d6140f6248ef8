// SPDX-License-Identifier: MIT

/// A handle to a remote device; `org.bluez.Device1`, CoreBluetooth's `CBPeripheral`.
///
/// Handles are cheap. A handle is valid while BlueZ knows the device; afterwards operations throw
/// ``BLEError`` with code `notFound`.
public struct Peripheral: Sendable, Identifiable {
  /// The device's address when the handle was made.
  public let address: BluetoothAddress
  let path: String
  /// The manager that made the handle.
  public let central: CentralManager

  /// Identifies the device within its manager, by its adapter and its first address.
  public var id: String { path }

  init(address: BluetoothAddress, path: String, central: CentralManager) {
    self.address = address
    self.path = path
    self.central = central
  }

  /// Everything that BlueZ knows about the device now.
  ///
  /// - Throws: ``BLEError`` with code `notFound` when BlueZ has forgotten it.
  public var info: PeripheralInfo {
    get async throws(BLEError) {
      try await central.perform { (core) throws(BLEError) in try core.info(of: self) }
    }
  }
}

extension Peripheral: Hashable {
  /// Returns whether two handles refer to the same device of the same manager.
  public static func == (left: Peripheral, right: Peripheral) -> Bool {
    left.path == right.path && left.central === right.central
  }

  /// Hashes the values that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
