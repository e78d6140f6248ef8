// SPDX-License-Identifier: MIT

/// Reads and writes a value as a JSON object with known keys.
package struct ObjectCodec<Owner: Sendable>: Sendable {
  package let name: String
  package let about: String
  /// The value of an object without keys; properties equal to it are not written.
  package let defaults: Owner
  package let keys: [Field<Owner>]
  /// Checks the keys against each other.
  package let check: @Sendable (Owner, JSONNode) throws(JSONError) -> Void

  package init(
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
  package static var comment: String { "comment" }

  package var schema: Schema {
    let note = Schema.Property(
      name: ObjectCodec.comment, about: "A comment; ignored.", schema: .text(pattern: nil, examples: []))
    // One that is kept is as good as one that is ignored.
    let others = keys.filter { $0.name != note.name }
    return .object(
      properties: others.map { .init(name: $0.name, about: $0.about, schema: $0.schema) } + [note],
      required: keys.filter(\.isRequired).map(\.name))
  }

  package var codec: Codec<Owner> {
    Codec("an object", .named(name, about: about, schema)) { node throws(JSONError) in
      try read(node)
    } write: { owner, json in
      json.object { write(owner, to: &$0) }
    }
  }

  package func read(_ node: JSONNode) throws(JSONError) -> Owner {
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
    // Checked against each other only once each is valid.
    try mistakes.rethrow()
    try check(owner, node)
    return owner
  }

  package func write(_ owner: Owner, to json: inout JSONWriter) {
    for key in keys { key.write(owner, defaults, &json) }
  }

  private func unknown(_ member: JSONMember, nearest: String?) -> JSONError {
    let advice =
      nearest.map { "did you mean \(JSONText.quoted($0))?" }
      ?? "the keys are \(keys.map(\.name).filter { $0 != ObjectCodec.comment }.joined(separator: ", "))"
    return JSONError(
      member.place, member.value.pointer,
      "expected a key of \(about), found \(JSONText.quoted(member.key)): \(advice)")
  }
}

/// A key of a JSON object and the property that it maps to.
package struct Field<Owner: Sendable>: Sendable {
  package let name: String
  package let about: String
  package let isRequired: Bool
  package let schema: Schema
  package let read: @Sendable (JSONNode, inout Owner) throws(JSONError) -> Void
  /// Receives the value and the defaults.
  package let write: @Sendable (Owner, Owner, inout JSONWriter) -> Void

  /// Creates an optional key, which is not written if the property has its default.
  package init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) {
    self.init(name, property, codec, about, isRequired: false) { owner, defaults in
      owner[keyPath: property] != defaults[keyPath: property]
    }
  }

  package init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value?> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) {
    self.init(name, property, codec.optional, about)
  }

  package static func required<Value: Sendable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) -> Field {
    Field(name, property, codec, about, isRequired: true) { _, _ in true }
  }

  /// Creates the key for comments, for objects that keep theirs.
  package static func comment(_ property: any (WritableKeyPath<Owner, String?> & Sendable)) -> Field {
    let text = Codec<String>.word("a text") {
      $0
    } text: {
      $0
    }
    return Field(ObjectCodec<Owner>.comment, property, text, "A comment.")
  }

  /// Returns the same key for a value that contains the owner.
  package func lifted<Outer>(_ part: any (WritableKeyPath<Outer, Owner> & Sendable)) -> Field<Outer> {
    Field<Outer>(
      name: name, about: about, isRequired: isRequired, schema: schema,
      read: { node, outer throws(JSONError) in try read(node, &outer[keyPath: part]) },
      write: { outer, defaults, json in write(outer[keyPath: part], defaults[keyPath: part], &json) })
  }

  private init(
    name: String, about: String, isRequired: Bool, schema: Schema,
    read: @escaping @Sendable (JSONNode, inout Owner) throws(JSONError) -> Void,
    write: @escaping @Sendable (Owner, Owner, inout JSONWriter) -> Void
  ) {
    self.name = name
    self.about = about
    self.isRequired = isRequired
    self.schema = schema
    self.read = read
    self.write = write
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
