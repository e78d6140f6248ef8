// SPDX-License-Identifier: MIT

/// Reads and writes values as JSON, and describes them in a JSON Schema.
package struct Codec<Value: Sendable>: Sendable {
  /// The expectation in errors, such as `an integer from -127 to 20`.
  package let expected: String
  package let schema: Schema
  package let read: @Sendable (JSONNode) throws(JSONError) -> Value
  package let write: @Sendable (Value, inout JSONWriter) -> Void

  package init(
    _ expected: String, _ schema: Schema, read: @escaping @Sendable (JSONNode) throws(JSONError) -> Value,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    self.expected = expected
    self.schema = schema
    self.read = read
    self.write = write
  }

  /// Creates a codec of simple values; `parse` returns nil for an invalid one.
  package init(
    _ expected: String, _ schema: Schema, parse: @escaping @Sendable (JSONNode) -> Value?,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    self.init(
      expected, schema,
      read: { node throws(JSONError) in
        guard let value = parse(node) else { throw node.mismatch(expected) }
        return value
      }, write: write)
  }

  package static func word(
    _ expected: String, pattern: String? = nil, examples: [String] = [],
    parse: @escaping @Sendable (String) -> Value?, text: @escaping @Sendable (Value) -> String
  ) -> Codec {
    Codec(
      expected, .text(pattern: pattern, examples: examples), parse: { $0.string.flatMap(parse) },
      write: { $1.value(text($0)) })
  }

  /// The same values as optionals; nil is not written.
  package var optional: Codec<Value?> {
    Codec<Value?>(expected, schema) { node throws(JSONError) in
      try read(node)
    } write: { value, json in
      if let value { write(value, &json) }
    }
  }

  /// The same values as optionals; nil is written as `null`.
  package var nullable: Codec<Value?> {
    Codec<Value?>("\(expected), or null", .any([schema, .null])) { node throws(JSONError) in
      if node.content == .null { return nil }
      return try read(node)
    } write: { value, json in
      if let value { write(value, &json) } else { json.literal("null") }
    }
  }

  /// Returns a codec of values that are converted from these.
  package func map<Other: Sendable>(
    _ make: @escaping @Sendable (Value) -> Other, _ take: @escaping @Sendable (Other) -> Value
  ) -> Codec<Other> {
    Codec<Other>(expected, schema) { node throws(JSONError) in
      make(try read(node))
    } write: { value, json in
      write(take(value), &json)
    }
  }

  package func list(_ name: String, atLeast least: Int = 0) -> Codec<[Value]> {
    Codec<[Value]>(name, .list(of: schema, atLeast: least)) { node throws(JSONError) in
      guard let elements = node.elements, elements.count >= least else { throw node.mismatch(name) }
      var mistakes = JSONMistakes()
      let values = elements.compactMap { element in
        mistakes.collect { () throws(JSONError) in try read(element) }
      }
      try mistakes.rethrow()
      return values
    } write: { values, json in
      json.array { json in
        for value in values { write(value, &json) }
      }
    }
  }
}

extension Codec {
  /// Returns a codec of an object whose keys are free, for a list with an element for each member, in their order.
  ///
  /// `keys` is the pattern of the keys in the schema; `read` refuses those that are wrong.
  package static func members<Element: Sendable, Member: Sendable>(
    _ expected: String, keys: String, of member: Codec<Member>,
    read: @escaping @Sendable (JSONMember, Member) throws(JSONError) -> Element,
    write: @escaping @Sendable (Element) -> (key: String, value: Member)
  ) -> Codec where Value == [Element] {
    Codec(expected, .dictionary(keys: keys, of: member.schema)) { node throws(JSONError) in
      guard let members = node.members else { throw node.mismatch(expected) }
      var mistakes = JSONMistakes()
      let elements = members.compactMap { found in
        mistakes.collect { () throws(JSONError) in try read(found, try member.read(found.value)) }
      }
      try mistakes.rethrow()
      return elements
    } write: { elements, json in
      json.object { json in
        for element in elements {
          let (key, value) = write(element)
          json.key(key)
          member.write(value, &json)
        }
      }
    }
  }
}

extension JSONNode {
  package func mismatch(_ expected: String) -> JSONError {
    JSONError(self, "expected \(expected), found \(summary)")
  }

  /// Returns the value at a JSON pointer below this one, or the last one on the way.
  package func at(_ pointer: String) -> JSONNode {
    pointer.split(separator: "/").reduce(self) { node, step in
      if let member = node[String(step)] { return member }
      guard let elements = node.elements, let index = Int(step), elements.indices.contains(index) else {
        return node
      }
      return elements[index]
    }
  }
}

/// A value of several kinds: a word, or an object whose first key determines the kind.
package struct OneOf<Value: Sendable & Equatable>: Sendable {
  /// A kind that is an object.
  package struct Variant: Sendable {
    package let tag: String
    package let schema: Schema
    package let read: @Sendable (JSONNode) throws(JSONError) -> Value
    /// Writes the value if it is of this kind, and returns whether it is.
    package let write: @Sendable (Value, inout JSONWriter) -> Bool

    /// Creates the kind of those values for which `take` returns a payload.
    package init<Payload: Sendable>(
      _ object: ObjectCodec<Payload>, make: @escaping @Sendable (Payload) -> Value,
      take: @escaping @Sendable (Value) -> Payload?
    ) {
      tag = object.keys[0].name
      schema = object.codec.schema
      read = { node throws(JSONError) in make(try object.read(node)) }
      write = { value, json in
        guard let payload = take(value) else { return false }
        object.codec.write(payload, &json)
        return true
      }
    }
  }

  package let words: [(word: String, value: Value)]
  package let variants: [Variant]

  package init(words: [(String, Value)] = [], _ variants: [Variant] = []) {
    self.words = words
    self.variants = variants
  }

  private var expected: String {
    let alternatives =
      words.map { JSONText.quoted($0.word) } + variants.map { "{\(JSONText.quoted($0.tag)): …}" }
    return alternatives.count == 1 ? alternatives[0] : "one of " + alternatives.joined(separator: ", ")
  }

  package var codec: Codec<Value> {
    let simple = words.isEmpty ? [] : [Schema.words(words.map(\.word))]
    let schemas = simple + variants.map(\.schema)
    return Codec(expected, schemas.count == 1 ? schemas[0] : .any(schemas)) { node throws(JSONError) in
      if let text = node.string, let found = words.first(where: { $0.word == text }) { return found.value }
      guard let variant = variants.first(where: { node[$0.tag] != nil }) else {
        throw node.mismatch(found(in: node))
      }
      return try variant.read(node)
    } write: { value, json in
      if let found = words.first(where: { $0.value == value }) { return json.value(found.word) }
      for variant in variants where variant.write(value, &json) { return }
    }
  }

  /// Describes the expected values, with a suggestion for a misspelling.
  private func found(in node: JSONNode) -> String {
    let given = node.string ?? node.members?.first?.key
    let nearest = given.flatMap { given in
      Spelling.nearest(to: given, among: words.map(\.word) + variants.map(\.tag))
    }
    return nearest.map { "\(expected) (did you mean \(JSONText.quoted($0))?)" } ?? expected
  }
}
