// SPDX-License-Identifier: MIT
internal import BlueZClient

/// A device with a link to this machine.
public struct Central: Sendable, Hashable {
  /// Its address: a changing random address before pairing, its identity address afterwards.
  public let address: BluetoothAddress
  /// The alias that a user set in BlueZ, or else its name, once BlueZ has read it from the device.
  public let name: String?
  /// The object of the device, which stays the same when pairing reveals another address.
  let path: String

  /// Returns whether both are the same device of BlueZ, even if pairing revealed its identity address in
  /// between.
  public static func == (left: Central, right: Central) -> Bool { left.path == right.path }

  /// Hashes the values that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension Central {
  /// Fails if the device has no address.
  init?(_ device: DeviceState) {
    guard let address = device.address else { return nil }
    self.init(address: address, name: device.displayName, path: device.path)
  }
}
