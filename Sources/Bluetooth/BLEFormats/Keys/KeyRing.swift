// SPDX-License-Identifier: MIT

/// The keys of a person's devices.
package struct KeyRing: Sendable, Hashable {
  /// A device that uses privacy, and the key that resolves its addresses.
  package struct Identity: Sendable, Hashable {
    package var name: String
    /// The address that never changes, if it is known.
    package var address: BluetoothAddress?
    package var key: IdentityKey

    package init(name: String, address: BluetoothAddress? = nil, key: IdentityKey) {
      (self.name, self.address, self.key) = (name, address, key)
    }
  }

  /// The keys of encrypted advertisements, by the address of the sensor.
  package var bindKeys: [BluetoothAddress: BindKey]
  /// In the order of the file; each name once.
  package var identities: [Identity]

  package init(bindKeys: [BluetoothAddress: BindKey] = [:], identities: [Identity] = []) {
    (self.bindKeys, self.identities) = (bindKeys, identities)
  }

  package var isEmpty: Bool { bindKeys.isEmpty && identities.isEmpty }

  /// Returns the device that sends from a resolvable private address, or whose own address it is; nil for strangers.
  ///
  /// - Throws: ``DecryptionError/unavailable(_:)`` if libcrypto is not installed.
  package func identity(at address: BluetoothAddress) throws(DecryptionError) -> Identity? {
    if let own = identities.first(where: { $0.address == address }) { return own }
    for identity in identities where try identity.key.resolves(address) { return identity }
    return nil
  }
}

/// For files of keys; nothing else may print them.
extension BindKey {
  package var secretText: String { Hex.string(bytes) }
}

/// For files of keys; nothing else may print them.
extension IdentityKey {
  package var secretText: String { Hex.string(bytes) }

  /// The key in the other byte order.
  package var reversed: IdentityKey { IdentityKey(bytes: bytes.reversed()) ?? self }
}
