// SPDX-License-Identifier: MIT
package import JSON

extension Codec<BluetoothUUID> {
  /// A UUID of 16, 32 or 128 bits, as on the command line.
  package static let uuidPattern =
    "^((0[xX])?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{32}"
    + "|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}))$"

  package static let service = uuid(of: .service, "a service such as \"heart-rate\"")
  package static let characteristic = uuid(of: .characteristic, "a characteristic such as \"battery-level\"")
  package static let descriptor = uuid(
    of: .descriptor, "a descriptor such as \"characteristic-user-description\"")

  /// Returns a codec of UUIDs and of names that the Bluetooth SIG has assigned.
  private static func uuid(of kind: AssignedNumber.Kind, _ name: String) -> Codec {
    let expected =
      "a UUID such as \"180d\" or \"b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa\", or the name of \(name)"
    // Every name contains a letter that is not a hexadecimal digit.
    let pattern = uuidPattern.dropLast(2) + "|.*[G-Zg-z].*)$"
    return Codec(expected, .text(pattern: String(pattern), examples: [])) { node throws(JSONError) in
      guard let text = node.string, text.utf8.count <= 248 else { throw node.mismatch(expected) }
      if let uuid = BluetoothUUID(text) { return uuid }
      if let uuid = BluetoothUUID(name: text, kinds: [kind]) { return uuid }
      let meant = AssignedNumbers.suggestions(for: text, kinds: [kind], limit: 1).first
      throw node.mismatch(expected + (meant.map { " (did you mean \"\($0)\"?)" } ?? ""))
    } write: { uuid, json in
      json.value(uuid.description)
    }
  }
}
