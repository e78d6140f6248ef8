// SPDX-License-Identifier: MIT
package import BLEFormats
package import JSON

/// The JSON of a keys file.
///
/// Its errors name the place and what is expected, but repeat nothing of the file that may be a key: a key can also stand in
/// the wrong place.
package enum KeysDocument {
  private static let bindKeys = "bind_keys"
  private static let identities = "identities"
  private static let comment = "comment"

  /// The longest name of an identity in bytes: no device has a longer one.
  package static let longestName = 248

  // MARK: Reading

  /// Reads the keys; throws the first of all mistakes, with the others in it.
  package static func keys(in text: [UInt8]) throws(JSONError) -> KeyRing {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONReader.read(text)
    } catch {
      throw JSONError(error.place, .root, withoutQuotes(error.message))
    }
    var mistakes = JSONMistakes()
    check(root, of: "keys", knows: [bindKeys, identities, "$schema"], &mistakes)
    var ring = KeyRing()
    for node in elements(root[bindKeys], &mistakes) { read(bindKey: node, into: &ring, &mistakes) }
    for node in elements(root[identities], &mistakes) { read(identity: node, into: &ring, &mistakes) }
    try mistakes.rethrow()
    return ring
  }

  private static func read(bindKey node: JSONNode, into ring: inout KeyRing, _ mistakes: inout JSONMistakes) {
    guard check(node, of: "a bind key", knows: ["address", "key"], requires: ["address", "key"], &mistakes)
    else { return }
    let address =
      mistakes.collect { () throws(JSONError) -> BluetoothAddress? in try self.address(node["address"]) }
      ?? nil
    let key =
      mistakes.collect { () throws(JSONError) -> BindKey? in
        try secret(node["key"]) { text throws(SecretKeyError) in try BindKey(parsing: text) }
      } ?? nil
    guard let address, let key, let place = node["address"] else { return }
    if ring.bindKeys.updateValue(key, forKey: address) != nil {
      mistakes.note(JSONError(place, "expected each address once, found \(address) again"))
    }
  }

  private static func read(
    identity node: JSONNode, into ring: inout KeyRing, _ mistakes: inout JSONMistakes
  ) {
    guard
      check(
        node, of: "an identity", knows: ["name", "irk", "address"], requires: ["name", "irk"], &mistakes)
    else { return }
    let name = mistakes.collect { () throws(JSONError) -> String? in try self.name(node["name"]) } ?? nil
    let address =
      mistakes.collect { () throws(JSONError) -> BluetoothAddress? in try self.address(node["address"]) }
      ?? nil
    let key =
      mistakes.collect { () throws(JSONError) -> IdentityKey? in
        try secret(node["irk"]) { text throws(SecretKeyError) in try IdentityKey(parsing: text) }
      } ?? nil
    guard let name, let key, let place = node["name"] else { return }
    if ring.identities.contains(where: { $0.name == name }) {
      mistakes.note(JSONError(place, "expected each name once, found one again"))
    }
    if let address, let node = node["address"], ring.identities.contains(where: { $0.address == address }) {
      mistakes.note(JSONError(node, "expected each address once, found \(address) again"))
    }
    ring.identities.append(KeyRing.Identity(name: name, address: address, key: key))
  }

  private static func address(_ node: JSONNode?) throws(JSONError) -> BluetoothAddress? {
    guard let node else { return nil }
    if let address = node.string.flatMap({ BluetoothAddress($0) }) { return address }
    throw JSONError(node, "expected an address such as \"C8:0F:10:01:02:03\", found \(summary(node))")
  }

  private static func name(_ node: JSONNode?) throws(JSONError) -> String? {
    guard let node else { return nil }
    if let name = node.string, isName(name) { return name }
    throw JSONError(
      node, "expected a name of at most \(longestName) bytes that is no address, found \(summary(node))")
  }

  /// Returns whether a text can name an identity; an address would mean another device on the command line.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestName && BluetoothAddress(text) == nil
  }

  private static func secret<Key>(
    _ node: JSONNode?, _ parse: (String) throws(SecretKeyError) -> Key
  ) throws(JSONError) -> Key? {
    guard let node else { return nil }
    guard let text = node.string else {
      throw JSONError(node, "expected a key as a text of hexadecimal digits, found \(summary(node))")
    }
    do throws(SecretKeyError) { return try parse(text) } catch {
      throw JSONError(node, "expected a key as hexadecimal digits: it \(error.reason)")
    }
  }

  // MARK: Objects

  private static func elements(_ node: JSONNode?, _ mistakes: inout JSONMistakes) -> [JSONNode] {
    guard let node else { return [] }
    if let elements = node.elements { return elements }
    mistakes.note(JSONError(node, "expected an array of objects, found \(summary(node))"))
    return []
  }

  /// Records unknown and missing keys, and returns whether the node is an object.
  @discardableResult
  private static func check(
    _ node: JSONNode, of about: String, knows keys: [String], requires required: [String] = [],
    _ mistakes: inout JSONMistakes
  ) -> Bool {
    guard let members = node.members else {
      mistakes.note(JSONError(node, "expected an object, found \(summary(node))"))
      return false
    }
    var misspelt: [String] = []
    for member in members where !keys.contains(member.key) {
      if member.key == comment, member.value.string != nil { continue }
      let nearest = Spelling.nearest(to: member.key, among: keys)
      if let nearest { misspelt.append(nearest) }
      let advice =
        nearest.map { "did you mean \"\($0)\"?" } ?? "the keys are \(keys.joined(separator: ", "))"
      mistakes.note(
        JSONError(member.place, node.pointer, "expected a key of \(about), found another one: \(advice)"))
    }
    // A misspelt key is one mistake, not two.
    for key in required where node[key] == nil && !misspelt.contains(key) {
      mistakes.note(JSONError(node, "expected the key \"\(key)\", which is missing"))
    }
    return true
  }

  /// A value without its text.
  private static func summary(_ node: JSONNode) -> String {
    switch node.content {
    case .string(let text):
      "a text of \(text.unicodeScalars.count) character\(text.unicodeScalars.count == 1 ? "" : "s")"
    case .number: "a number"
    case .null, .bool, .array, .object: node.summary
    }
  }

  /// An error of the reader without the texts that it quotes, unless they are single characters.
  private static func withoutQuotes(_ message: String) -> String {
    let message = message.replacing("\"\\\"\"", with: "a quotation mark")
    let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      index.isMultiple(of: 2) ? String(part) : part.unicodeScalars.count <= 1 ? "\"\(part)\"" : "a text"
    }.joined()
  }

  // MARK: Writing

  /// The keys as an indented text: bind keys by address, identities in their order.
  package static func text(of ring: KeyRing) -> [UInt8] {
    var json = JSONWriter(layout: .indented)
    json.object { json in
      json.array(bindKeys) { json in
        for (address, key) in ring.bindKeys.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            json.field("address", "\(address)")
            json.field("key", key.secretText)
          }
        }
      }
      json.array(identities) { json in
        for identity in ring.identities {
          json.object { json in
            json.field("name", identity.name)
            json.field("address", identity.address?.description)
            json.field("irk", identity.key.secretText)
          }
        }
      }
    }
    json.endRecord()
    return json.bytes
  }
}
