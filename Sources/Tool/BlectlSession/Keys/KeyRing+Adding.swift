// SPDX-License-Identifier: MIT
package import BLEFormats

/// A change of a ring of keys, for reports; without the key.
package enum KeyChange: Sendable, Hashable {
  case bindKey(BluetoothAddress)
  case identity(name: String, address: BluetoothAddress?)
}

extension KeyRing {
  /// Adds or replaces the key of a sensor; returns nil if it was known.
  package mutating func add(_ key: BindKey, for address: BluetoothAddress) -> KeyChange? {
    bindKeys.updateValue(key, forKey: address) == key ? nil : .bindKey(address)
  }

  /// Adds an identity, or replaces the one with its name; returns nil if it was known.
  package mutating func replace(_ new: Identity) -> KeyChange? {
    guard let index = identities.firstIndex(where: { $0.name == new.name }) else {
      identities.append(new)
      return .identity(name: new.name, address: new.address)
    }
    if identities[index] == new { return nil }
    identities[index] = new
    return .identity(name: new.name, address: new.address)
  }

  /// Adds an identity that another program knows; one with its key or its address keeps the name that a person gave it.
  ///
  /// Another device may have the same name: then the address follows the new one. Returns nil if it was known.
  package mutating func include(_ new: Identity) -> KeyChange? {
    let known = identities.firstIndex { own in
      own.key == new.key || own.address != nil && own.address == new.address
    }
    if let known {
      let before = identities[known]
      identities[known].key = new.key
      identities[known].address = new.address ?? before.address
      return identities[known] == before
        ? nil : .identity(name: before.name, address: identities[known].address)
    }
    var new = new
    let suffix = new.address.map { " \($0)" } ?? ""
    if !KeysDocument.isName(new.name) { new.name = "Unnamed\(suffix)" }
    let base = new.name
    var number = 1
    while identities.contains(where: { $0.name == new.name }) {
      number += 1
      new.name = number == 2 && !suffix.isEmpty ? base + suffix : "\(base) \(number)"
    }
    identities.append(new)
    return .identity(name: new.name, address: new.address)
  }

  /// Removes the key of a sensor with an address, or the identity with a name; returns what was removed.
  package mutating func remove(_ subject: String) -> [KeyChange] {
    var changes: [KeyChange] = []
    if let address = BluetoothAddress(subject), bindKeys.removeValue(forKey: address) != nil {
      changes.append(.bindKey(address))
    }
    for identity in identities where identity.matches(subject) {
      changes.append(.identity(name: identity.name, address: identity.address))
    }
    identities.removeAll { $0.matches(subject) }
    return changes
  }
}

extension KeyRing.Identity {
  fileprivate func matches(_ subject: String) -> Bool {
    name == subject || address != nil && address == BluetoothAddress(subject)
  }
}
