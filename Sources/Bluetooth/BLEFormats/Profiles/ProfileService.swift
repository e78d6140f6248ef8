// SPDX-License-Identifier: MIT

/// A service with a name of your own.
public struct ProfileService: Sendable, Hashable {
  /// Its UUID.
  public var uuid: BluetoothUUID
  /// The name.
  public var name: String

  /// Creates a service; each parameter sets the property of its name.
  public init(uuid: BluetoothUUID, name: String) {
    (self.uuid, self.name) = (uuid, name)
  }
}
