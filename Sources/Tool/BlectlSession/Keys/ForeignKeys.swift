// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

/// The keys in a file of another program: Theengs gateway, Home Assistant, or any list of addresses and keys.
package struct ForeignKeys: Sendable {
  package private(set) var bindKeys: [(address: BluetoothAddress, key: BindKey)] = []
  package private(set) var identities: [KeyRing.Identity] = []

  package var isEmpty: Bool { bindKeys.isEmpty && identities.isEmpty }

  /// Finds the keys in a text; there may be none.
  package init(in text: [UInt8]) {
    if let root = try? JSONReader.read(text) {
      collect(root)
    } else {
      collect(words: String(decoding: text, as: UTF8.self))
    }
  }

  // MARK: JSON

  private mutating func collect(_ node: JSONNode) {
    for (address, text) in pairs(node["bindkeys"]) { add(bindKey: text, address) }
    for (address, text) in pairs(node["identities"]) { add(identity: text, name: "", address) }
    for entry in node["data"]?["entries"]?.elements ?? [] { collect(entry: entry) }
  }

  /// The members of an object with addresses as keys: Theengs gateway.
  private func pairs(_ node: JSONNode?) -> [(BluetoothAddress, String)] {
    (node?.members ?? []).compactMap { member in
      guard let address = BluetoothAddress(member.key), let text = member.value.string else { return nil }
      return (address, text)
    }
  }

  /// An entry of `.storage/core.config_entries` of Home Assistant.
  private mutating func collect(entry: JSONNode) {
    guard let data = entry["data"] else { return }
    if let text = data["irk"]?.string { add(identity: text, name: entry["title"]?.string ?? "", nil) }
    let address = [data["address"]?.string, entry["unique_id"]?.string].compactMap { $0 }
      .compactMap { BluetoothAddress($0) }.first
    guard let address else { return }
    for key in ["bindkey", "access_token", "encryption_key"] {
      if let text = data[key]?.string { add(bindKey: text, address) }
    }
  }

  private mutating func add(bindKey text: String, _ address: BluetoothAddress) {
    if let key = try? BindKey(parsing: text) { bindKeys.append((address, key)) }
  }

  private mutating func add(identity text: String, name: String, _ address: BluetoothAddress?) {
    guard let key = IdentityKey(imported: text) else { return }
    identities.append(KeyRing.Identity(name: name, address: address, key: key))
  }

  // MARK: Words

  /// Addresses, each followed by its key: the arguments of Theengs gateway, or the YAML of the integration ble_monitor.
  private mutating func collect(words text: String) {
    var address: BluetoothAddress?
    let separators: Set<Character> = [" ", "\t", "\r", "\n", "\r\n", "\"", "'", ",", "="]
    for word in text.split(whereSeparator: { separators.contains($0) }) {
      if let found = BluetoothAddress(word) {
        address = found
      } else if let owner = address, [24, 32].contains(word.utf8.count), let key = try? BindKey(parsing: word)
      {
        bindKeys.append((owner, key))
        address = nil
      }
    }
  }
}

extension IdentityKey {
  /// Parses hexadecimal digits or Base64, the most significant byte first; nil for other texts.
  package init?(imported text: String) {
    if let key = try? IdentityKey(parsing: text) {
      self = key
    } else if let bytes = Base64.bytes(text), let key = IdentityKey(bytes: bytes) {
      self = key
    } else {
      return nil
    }
  }
}
