// SPDX-License-Identifier: MIT

/// A device with a name of your own.
public struct ProfileDevice: Sendable, Hashable {
  /// The name.
  public var name: String
  /// Its address: the public one, or a random one that stays the same; nil if ``identity`` tells it.
  public var address: BluetoothAddress?
  /// The name of the identity key that resolves its private addresses; nil if ``address`` tells it.
  public var identity: String?
  /// Remarks for people, without any effect.
  public var notes: String?

  /// Creates a device; each parameter sets the property of its name.
  public init(name: String, address: BluetoothAddress? = nil, identity: String? = nil, notes: String? = nil) {
    (self.name, self.address, self.identity, self.notes) = (name, address, identity, notes)
  }
}
