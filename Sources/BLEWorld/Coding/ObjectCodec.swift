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
    // Checked against each other only once each is valid.
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
  /// Receives the value and the defaults.
  let write: @Sendable (Owner, Owner, inout JSONWriter) -> Void

  /// Creates an optional key, which is not written if the property has its default.
  init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) {
    self.init(name, property, codec, about, isRequired: false) { owner, defaults in
      owner[keyPath: property] != defaults[keyPath: property]
    }
  }

  init<Value: Sendable & Equatable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value?> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) {
    self.init(name, property, codec.optional, about)
  }

  static func required<Value: Sendable>(
    _ name: String, _ property: any (WritableKeyPath<Owner, Value> & Sendable), _ codec: Codec<Value>,
    _ about: String
  ) -> Field {
    Field(name, property, codec, about, isRequired: true) { _, _ in true }
  }

  /// Returns the same key for a value that contains the owner.
  func lifted<Outer>(_ part: any (WritableKeyPath<Outer, Owner> & Sendable)) -> Field<Outer> {
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

extension Codec<ValueFormat> {
  private static let formats = ValueFormat.all.filter { $0.numberSize != nil }

  static let number: Codec<ValueFormat> = OneOf(words: formats.map { ($0.word, $0) }).codec
}

extension ObjectCodec<Counter> {
  static let counter = ObjectCodec(
    "counter", "a counter", defaults: Counter(NumberFormat(.hex)),
    [
      .required("format", \.number.format, .number, "How the number is encoded."),
      Field("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      Field("from", \.first, .number, "The first number. Default: 0."),
      Field("step", \.step, .number, "The increment. Default: 1."),
      Field(
        "to", \.last, .number,
        "The last number before the counter restarts. Default: the last one that fits the format."),
    ]
  ) { counter, node throws(JSONError) in
    try counter.number.check(counter.first, at: node.at("from"))
    if let last = counter.last { try counter.number.check(last, at: node.at("to")) }
  }
}

extension ObjectCodec<Sine> {
  static let sine = ObjectCodec(
    "sine", "a sine", defaults: Sine(number: NumberFormat(.hex), middle: 0, amplitude: 0, period: 1),
    [
      .required("format", \.number.format, .number, "How the number is encoded."),
      Field("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      .required("middle", \.middle, .number, "The midpoint, which is also the first number."),
      .required("amplitude", \.amplitude, .number, "The largest distance from the midpoint."),
      .required("period", \.period, .integer(1...1_000_000), "The number of values in one period."),
    ]
  ) { sine, node throws(JSONError) in
    try sine.number.check(sine.middle + sine.amplitude, at: node.at("amplitude"))
    try sine.number.check(sine.middle - sine.amplitude, at: node.at("amplitude"))
  }
}

extension ObjectCodec<RandomWalk> {
  static let walk = ObjectCodec(
    "walk", "a random walk", defaults: RandomWalk(NumberFormat(.hex), from: 0, step: 0, within: 0...0),
    [
      .required("format", \.number.format, .number, "How the number is encoded."),
      Field("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      .required("from", \.first, .number, "The first number."),
      .required("step", \.step, .number, "The largest difference between two consecutive numbers."),
      .required("least", \.least, .number, "The lower bound."),
      .required("greatest", \.greatest, .number, "The upper bound."),
      Field(
        "seed", \.seed, .integer(0...0x1F_FFFF_FFFF_FFFF),
        "The seed of the random numbers: equal seeds give equal walks. Default: 1."),
    ]
  ) { walk, node throws(JSONError) in
    try walk.number.check(walk.least, at: node.at("least"))
    try walk.number.check(walk.greatest, at: node.at("greatest"))
    guard walk.least <= walk.first, walk.first <= walk.greatest else {
      throw node.at("from").mismatch("a number from \"least\" to \"greatest\"")
    }
  }
}

extension NumberFormat {
  /// Refuses a number that does not fit the format.
  fileprivate func check(_ number: Double, at node: JSONNode) throws(JSONError) {
    guard let bytes = bytes(number) else {
      throw JSONError(node, "expected numbers that fit \(format.word), found \(number)")
    }
    if bytes.count > 512 {
      throw JSONError(node, "expected values of at most 512 bytes, found \(bytes.count)")
    }
  }
}
