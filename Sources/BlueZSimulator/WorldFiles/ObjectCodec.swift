// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// Reads and writes a value as a JSON object with known keys.
struct ObjectCodec<Owner: Sendable>: Sendable {
  let name: String
  let about: String
  /// The value of an object without keys; properties equal to it are not written.
  let defaults: Owner
  let keys: [Field<Owner>]
  /// Checks the keys against each other.
  let check: @Sendable (Owner, JSONNode) throws(JSONError) -> Void

  init(
    _ name: String, _ about: String, defaults: Owner, _ keys: [Field<Owner>],
    check: @escaping @Sendable (Owner, JSONNode) throws(JSONError) -> Void = { _, _ throws(JSONError) in }
  ) {
    self.name = name
    self.about = about
    self.defaults = defaults
    self.keys = keys
    self.check = check
  }

  /// The key for comments, allowed in every object.
  static var comment: String { "comment" }

  var schema: Schema {
    let note = Schema.Property(
      name: ObjectCodec.comment, about: "A comment; ignored.", schema: .text(pattern: nil, examples: []))
    return .object(
      properties: keys.map { .init(name: $0.name, about: $0.about, schema: $0.schema) } + [note],
      required: keys.filter(\.isRequired).map(\.name))
  }

  var codec: Codec<Owner> {
    Codec("an object", .named(name, about: about, schema)) { node throws(JSONError) in
      try read(node)
    } write: { owner, json in
      json.object { write(owner, to: &$0) }
    }
  }

  func read(_ node: JSONNode) throws(JSONError) -> Owner {
    guard let members = node.members else { throw node.mismatch("an object") }
    var mistakes = JSONMistakes()
    var misspelt: [String] = []
    for member in members where !keys.contains(where: { $0.name == member.key }) {
      if member.key == ObjectCodec.comment, member.value.string != nil { continue }
      let nearest = Spelling.nearest(to: member.key, among: keys.map(\.name))
      if let nearest { misspelt.append(nearest) }
      mistakes.note(unknown(member, nearest: nearest))
    }
    // A misspelt key is one mistake, not two.
    for key in keys where key.isRequired && node[key.name] == nil && !misspelt.contains(key.name) {
      mistakes.note(JSONError(node, "expected the key \(JSONText.quoted(key.name)), which is missing"))
    }
    var owner = defaults
    for key in keys {
      guard let value = node[key.name] else { continue }
      mistakes.collect { () throws(JSONError) in try key.read(value, &owner) }
    }
    // Check the keys against each other only when each is valid.
    try mistakes.rethrow()
    try check(owner, node)
    return owner
  }

  func write(_ owner: Owner, to json: inout JSONWriter) {
    for key in keys { key.write(owner, defaults, &json) }
  }

  private func unknown(_ member: JSONMember, nearest: String?) -> JSONError {
    let advice =
      nearest.map { "did you mean \(JSONText.quoted($0))?" }
      ?? "the keys are \(keys.map(\.name).joined(separator: ", "))"
    return JSONError(
      member.place, member.value.pointer,
      "expected a key of \(about), found \(JSONText.quoted(member.key)): \(advice)")
  }
}

/// A key of a JSON object and the property that it maps to.
struct Field<Owner: Sendable>: Sendable {
  let name: String
  let about: String
  let isRequired: Bool
  let schema: Schema
  let read: @Sendable (JSONNode, inout Owner) throws(JSONError) -> Void
  /// Gets the value and the defaults.
  let write: @Sendable (Owner, Owner, inout JSONWriter) -> Void

  /// An optional key, not written when the property has its default.
  init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) {
    self.init(name, property, codec, about, isRequired: false) { owner, defaults in
      owner[keyPath: property] != defaults[keyPath: property]
    }
  }

  /// An optional key.
  init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value?> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) {
    self.init(name, property, codec.optional, about)
  }

  /// A required key.
  static func required<Value: Sendable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) -> Field {
    Field(name, property, codec, about, isRequired: true) { _, _ in true }
  }

  private init<Value: Sendable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String,
    isRequired: Bool, isWritten: @escaping @Sendable (Owner, Owner) -> Bool
  ) {
    self.name = name
    self.about = about
    self.isRequired = isRequired
    schema = codec.schema
    read = { node, owner throws(JSONError) in owner[keyPath: property] = try codec.read(node) }
    write = { owner, defaults, json in
      guard isWritten(owner, defaults) else { return }
      json.key(name)
      codec.write(owner[keyPath: property], &json)
    }
  }
}
