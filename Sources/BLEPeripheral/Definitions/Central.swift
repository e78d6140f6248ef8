// SPDX-License-Identifier: MIT

/// The other end of a link: a device that has connected to this machine.
public struct Central: Sendable, Hashable {
  /// Its address: a random one, which changes, until it is paired; then its identity address.
  public let address: BluetoothAddress
  /// Its name, once BlueZ has read it from the device.
  public let name: String?
  /// The object of the device, which stays the same when pairing reveals another address.
  let path: String

  /// The same device of BlueZ is the same central, also when pairing has revealed its identity address.
  public static func == (left: Central, right: Central) -> Bool { left.path == right.path }

  /// Hashes what makes it that central.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
