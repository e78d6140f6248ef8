// SPDX-License-Identifier: MIT

/// A handle of a remote device; `org.bluez.Device1`, CoreBluetooth's `CBPeripheral`.
///
/// A handle is cheap, and valid as long as BlueZ knows the device: afterwards operations throw ``BLEError`` with code
/// `notFound`.
public struct Peripheral: Sendable, Identifiable {
  /// The address that the device had when the handle was made.
  public let address: BluetoothAddress
  /// BlueZ's path of the device.
  let path: String
  /// The manager that made the handle.
  public let central: CentralManager

  /// Identifies the device in its manager: the adapter and the first address.
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
    get async throws(BLEError) { try await central.info(of: self) }
  }
}

extension Peripheral: Hashable {
  /// Whether two handles mean the same device of the same manager.
  public static func == (left: Peripheral, right: Peripheral) -> Bool {
    left.path == right.path && left.central === right.central
  }

  /// Feeds what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension CentralManager {
  func info(of peripheral: Peripheral) throws(BLEError) -> PeripheralInfo {
    let action = BLEError.Action.inspect(peripheral.address)
    let device = try device(peripheral.path, for: action)
    if let info = PeripheralInfo(device, central: self) { return info }
    throw BLEError(.failed, during: action, "it has no address")
  }
}
