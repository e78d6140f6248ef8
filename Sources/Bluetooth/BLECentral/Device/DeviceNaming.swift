// SPDX-License-Identifier: MIT

/// Names devices: the one place that knows what a person calls them, and who hides behind a private address.
package protocol DeviceNaming: Sendable {
  /// Returns what is known of the device that sends from an address; nil for strangers.
  ///
  /// Called for each advertisement, on the thread that reads the bus: it must not wait.
  func label(of address: BluetoothAddress, _ type: AddressType?) -> DeviceLabel?
}

/// The name that a person gave to a device, and its identity if it hides behind private addresses.
package struct DeviceLabel: Sendable, Hashable {
  /// Nil if only its identity is known.
  package let name: String?
  /// Nil unless its address is a private one that was resolved.
  package let identity: PrivateIdentity?

  package init(name: String?, identity: PrivateIdentity? = nil) {
    (self.name, self.identity) = (name, identity)
  }
}

/// The identity of a device whose private addresses a key resolves.
package struct PrivateIdentity: Sendable, Hashable {
  /// The name of the key.
  package let name: String
  /// The address that never changes, if it is known.
  package let address: BluetoothAddress?

  package init(name: String, address: BluetoothAddress?) { (self.name, self.address) = (name, address) }
}

/// The lasting key of a device: its identity, or else its address.
package enum DeviceKey: Sendable, Hashable {
  case address(BluetoothAddress)
  case identity(PrivateIdentity)
}
