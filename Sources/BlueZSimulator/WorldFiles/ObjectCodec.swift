// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// An object of a world file: its keys, and what they hold of a value.
struct Shape<Owner: Sendable>: Sendable {
  let name: String
  let about: String
  /// The value that an object without keys stands for: what equals it is not written.
  let blank: Owner
  let keys: [Key<Owner>]
  /// Refuses what the keys alone do not tell to be wrong.
  let check: @Sendable (Owner, JSONNode) throws(JSONError) -> Void

  init(
    _ name: String, _ about: String, blank: Owner, _ keys: [Key<Owner>],
    check: @escaping @Sendable (Owner, JSONNode) throws(JSONError) -> Void = { _, _ throws(JSONError) in }
  ) {
    self.name = name
    self.about = about
    self.blank = blank
    self.keys = keys
    self.check = check
  }

  /// The key that may stand in every object: it says something to people.
  static var comment: String { "comment" }

  var schema: Schema {
    let note = Schema.Property(
      name: Shape.comment, about: "For people; ignored.", schema: .text(pattern: nil, examples: []))
    return .object(
      properties: keys.map { .init(name: $0.name, about: $0.about, schema: $0.schema) } + [note],
      required: keys.filter(\.isRequired).map(\.name))
  }

  var form: Form<Owner> {
    Form("an object", .named(name, about: about, schema)) { node throws(JSONError) in
      try read(node)
    } write: { owner, json in
      json.object { write(owner, to: &$0) }
    }
  }

  func read(_ node: JSONNode) throws(JSONError) -> Owner {
    guard let members = node.members else { throw node.isNot("an object") }
    var mistakes = JSONMistakes()
    var misspelt: [String] = []
    for member in members where !keys.contains(where: { $0.name == member.key }) {
      if member.key == Shape.comment, member.value.string != nil { continue }
      let nearest = Spelling.nearest(to: member.key, among: keys.map(\.name))
      if let nearest { misspelt.append(nearest) }
      mistakes.note(unknown(member, nearest: nearest))
    }
    // One that is there in another spelling is one mistake, not two.
    for key in keys where key.isRequired && node[key.name] == nil && !misspelt.contains(key.name) {
      mistakes.note(JSONError(node, "expected the key \(JSONText.quoted(key.name)), which is missing"))
    }
    var owner = blank
    for key in keys {
      guard let value = node[key.name] else { continue }
      mistakes.collect { () throws(JSONError) in try key.read(value, &owner) }
    }
    // What its parts are together can only be judged when they are right one by one.
    try mistakes.rethrow()
    try check(owner, node)
    return owner
  }

  func write(_ owner: Owner, to json: inout JSONWriter) {
    for key in keys { key.write(owner, blank, &json) }
  }

  private func unknown(_ member: JSONMember, nearest: String?) -> JSONError {
    let advice =
      nearest.map { "did you mean \(JSONText.quoted($0))?" }
      ?? "there are \(keys.map(\.name).joined(separator: ", "))"
    return JSONError(
      member.place, member.value.pointer,
      "expected a key of \(about), found \(JSONText.quoted(member.key)): \(advice)")
  }
}

/// A key of an object, and the property that it holds.
struct Key<Owner: Sendable>: Sendable {
  let name: String
  let about: String
  let isRequired: Bool
  let schema: Schema
  let read: @Sendable (JSONNode, inout Owner) throws(JSONError) -> Void
  /// Gets the value, and the blank one, with which it may agree.
  let write: @Sendable (Owner, Owner, inout JSONWriter) -> Void

  /// A key that may be left out, and is, where the property is as in the blank value.
  init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ form: Form<Value>,
    _ about: String
  ) {
    self.init(name, property, form, about, isRequired: false) { owner, blank in
      owner[keyPath: property] != blank[keyPath: property]
    }
  }

  /// A key that may be left out.
  init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value?> & Sendable), _ form: Form<Value>,
    _ about: String
  ) {
    self.init(name, property, form.optional, about)
  }

  /// A key that must be there.
  static func required<Value: Sendable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ form: Form<Value>,
    _ about: String
  ) -> Key {
    Key(name, property, form, about, isRequired: true) { _, _ in true }
  }

  private init<Value: Sendable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ form: Form<Value>,
    _ about: String,
    isRequired: Bool, isWritten: @escaping @Sendable (Owner, Owner) -> Bool
  ) {
    self.name = name
    self.about = about
    self.isRequired = isRequired
    schema = form.schema
    read = { node, owner throws(JSONError) in owner[keyPath: property] = try form.read(node) }
    write = { owner, blank, json in
      guard isWritten(owner, blank) else { return }
      json.key(name)
      form.write(owner[keyPath: property], &json)
    }
  }
}
