// SPDX-License-Identifier: MIT

/// A remote device: a handle to ask things of; `org.bluez.Device1`, CoreBluetooth's `CBPeripheral`.
///
/// A handle is cheap, and stays valid as long as BlueZ keeps the device: operations on one that is forgotten throw
/// ``BLEError`` with code `notFound`.
public struct Peripheral: Sendable, Identifiable {
  /// The address that the device had when the handle was made.
  public let address: BluetoothAddress
  /// BlueZ's path of the device.
  let path: String
  /// The manager that knows it.
  public let central: CentralManager

  /// What tells devices of one manager apart: the adapter and the first address.
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
    let record = try device(peripheral, for: "look at \(peripheral.address)")
    guard let info = PeripheralInfo(record, central: self) else {
      throw BLEError(.failed, operation: "look at \(peripheral.address)", message: "it has no address")
    }
    return info
  }

  /// The device's record.
  ///
  /// - Throws: ``BLEError`` when BlueZ has forgotten it, or is away.
  func device(_ peripheral: Peripheral, for operation: String) throws(BLEError) -> DeviceState {
    if var outage {
      outage.operation = operation
      throw outage
    }
    model.devices.load(peripheral.path)
    if let record = model.devices[peripheral.path] { return record }
    throw BLEError(.notFound, operation: operation, message: "BlueZ has forgotten the device")
  }
}
