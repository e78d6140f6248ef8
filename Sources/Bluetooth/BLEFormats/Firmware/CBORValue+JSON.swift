// SPDX-License-Identifier: MIT
package import JSON

/// CBOR as JSON, in both directions, for people who type and read it.
///
/// What JSON lacks is an object with one key that begins with `$`: bytes `{"$hex": "00ff"}`, a tag `{"$tag": [1, value]}`, a map
/// whose keys are not different texts `{"$map": [[key, value], …]}`, `{"$float": "nan"}`, and `{"$undefined": true}`.
extension CBORValue: JSONValue {
  private static let keys = ["$hex", "$tag", "$map", "$float", "$undefined"]

  /// Reads a value that was typed as JSON; a number without a fraction or an exponent is an integer.
  package init(json node: JSONNode) throws(JSONError) {
    switch node.content {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .string(let text): self = .text(text)
    case .number(let number): self = try Self.number(number, node)
    case .array(let elements): self = .array(try Self.values(elements))
    case .object(let members):
      if members.count == 1, members[0].key.hasPrefix("$") {
        self = try Self.special(members[0])
      } else {
        var map = CBORMap()
        for member in members { map.append(.text(member.key), try CBORValue(json: member.value)) }
        self = .map(map)
      }
    }
  }

  private static func values(_ nodes: [JSONNode]) throws(JSONError) -> [CBORValue] {
    var values: [CBORValue] = []
    for node in nodes { values.append(try CBORValue(json: node)) }
    return values
  }

  private static func number(_ number: JSONNumber, _ node: JSONNode) throws(JSONError) -> CBORValue {
    if number.text.contains(where: { ".eE".contains($0) }) {
      guard let real = number.real else { throw JSONError(node, "expected a smaller number") }
      return .float(real)
    }
    if let unsigned = UInt64(number.text) { return .unsigned(unsigned) }
    guard number.text.hasPrefix("-"), let size = UInt128(number.text.dropFirst()),
      let rest = UInt64(exactly: max(size, 1) - 1)
    else { throw JSONError(node, "expected an integer of at most 64 bits") }
    return size == 0 ? .unsigned(0) : .negative(rest)
  }

  private static func special(_ member: JSONMember) throws(JSONError) -> CBORValue {
    let node = member.value
    switch member.key {
    case "$hex":
      guard let bytes = node.string.flatMap({ Hex.bytes($0) }) else {
        throw JSONError(node, "expected bytes in hexadecimal, found \(node.summary)")
      }
      return .bytes(bytes)
    case "$tag":
      guard let parts = node.elements, parts.count == 2, case .number(let number) = parts[0].content,
        let tag = UInt64(number.text)
      else { throw JSONError(node, "expected [TAG, VALUE], found \(node.summary)") }
      return .tagged(tag, try CBORValue(json: parts[1]))
    case "$map":
      guard let entries = node.elements else {
        throw JSONError(node, "expected [[KEY, VALUE], …], found \(node.summary)")
      }
      var map = CBORMap()
      for entry in entries {
        guard let parts = entry.elements, parts.count == 2 else {
          throw JSONError(entry, "expected [KEY, VALUE], found \(entry.summary)")
        }
        map.append(try CBORValue(json: parts[0]), try CBORValue(json: parts[1]))
      }
      return .map(map)
    case "$float":
      guard let word = node.string, ["nan", "inf", "-inf"].contains(word), let real = Double(word) else {
        throw JSONError(node, "expected nan, inf or -inf, found \(node.summary)")
      }
      return .float(real)
    case "$undefined": return .undefined
    default:
      throw JSONError(
        node,
        "\(JSONText.quoted(member.key)) means nothing alone in an object; use \(keys.joined(separator: ", "))"
      )
    }
  }

  /// Writes the value so that ``init(json:)`` reads the same one.
  package func write(to json: inout JSONWriter) {
    switch self {
    case .unsigned(let number): json.value(number)
    case .negative(let rest): json.literal("-\(UInt128(rest) + 1)")
    case .text(let text): json.value(text)
    case .bool(let flag): json.value(flag)
    case .null: json.literal("null")
    case .float(let real) where real.isFinite: json.value(real)
    case .float(let real):
      json.object { $0.field("$float", real.isNaN ? "nan" : real < 0 ? "-inf" : "inf") }
    case .undefined: json.object { $0.field("$undefined", true) }
    case .bytes(let bytes): json.object { $0.field("$hex", hex: bytes) }
    case .array(let elements): json.value(elements)
    case .tagged(let tag, let value):
      json.object { json in
        json.array("$tag") { parts in
          parts.value(tag)
          parts.value(value)
        }
      }
    case .map(let map): json.value(map)
    }
  }
}

extension CBORMap: JSONValue {
  /// Writes the map as an object, if JSON can have it as one.
  package func write(to json: inout JSONWriter) {
    guard let keys = plainKeys else {
      json.object { json in
        json.array("$map") { list in
          for (key, value) in entries { list.value([key, value]) }
        }
      }
      return
    }
    json.object { json in
      for (key, entry) in zip(keys, entries) { json.field(key, entry.value) }
    }
  }

  /// The keys, if they are texts, each there once, and not taken for something else; else nil.
  private var plainKeys: [String]? {
    let keys = entries.compactMap(\.key.text)
    guard keys.count == entries.count, Set(keys).count == keys.count else { return nil }
    return keys.count == 1 && keys[0].hasPrefix("$") ? nil : keys
  }
}
