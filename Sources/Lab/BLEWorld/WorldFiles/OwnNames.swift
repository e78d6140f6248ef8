// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

extension World {
  /// Returns the UUID of a service, a characteristic or a descriptor with a name of the user's own; nil if there is none.
  package typealias OwnNames = (_ name: String, _ kind: AssignedNumber.Kind) -> BluetoothUUID?
}

extension JSONNode {
  /// The kinds of things that the texts below a key of a world file name.
  private static let kinds: [String: AssignedNumber.Kind] = [
    "services": .service, "service": .service, "includes": .service, "characteristics": .characteristic,
    "characteristic": .characteristic, "echo": .characteristic, "burst": .characteristic,
    "from": .characteristic, "descriptors": .descriptor,
  ]

  /// Returns the world with UUIDs in the place of names of the user's own.
  func resolving(_ names: World.OwnNames) -> JSONNode { resolving(names, as: nil) }

  private func resolving(_ names: World.OwnNames, as kind: AssignedNumber.Kind?) -> JSONNode {
    switch content {
    case .string(let text):
      // A UUID or a published name keeps its meaning.
      guard let kind, BluetoothUUID(text) == nil, BluetoothUUID(name: text, kinds: [kind]) == nil,
        let uuid = names(text, kind)
      else { return self }
      return JSONNode(.string(uuid.description), at: place, pointer)
    case .array(let elements):
      return JSONNode(.array(elements.map { $0.resolving(names, as: kind) }), at: place, pointer)
    case .object(let members):
      let resolved = members.map { member in
        // The texts of a serial port, of updates and of fields are not names.
        if ["uart", "smp", "dfu", "layout", "fields"].contains(member.key) { return member }
        let own = member.key == "uuid" ? kind : Self.kinds[member.key]
        return JSONMember(key: member.key, place: member.place, value: member.value.resolving(names, as: own))
      }
      return JSONNode(.object(resolved), at: place, pointer)
    case .null, .bool, .number: return self
    }
  }
}
