// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

/// A value of several kinds: a word, or an object whose first key determines the kind.
struct OneOf<Value: Sendable & Equatable>: Sendable {
  /// A kind that is an object.
  struct Variant: Sendable {
    let tag: String
    let schema: Schema
    let read: @Sendable (JSONNode) throws(JSONError) -> Value
    /// Writes the value if it is of this kind.
    let write: @Sendable (Value, inout JSONWriter) -> Bool

    /// The kind of the values for which `take` returns a payload.
    init<Payload: Sendable>(
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

  let words: [(word: String, value: Value)]
  let variants: [Variant]

  init(words: [(String, Value)] = [], _ variants: [Variant] = []) {
    self.words = words
    self.variants = variants
  }

  private var expected: String {
    let alternatives =
      words.map { JSONText.quoted($0.word) } + variants.map { "{\(JSONText.quoted($0.tag)): …}" }
    return alternatives.count == 1 ? alternatives[0] : "one of " + alternatives.joined(separator: ", ")
  }

  var codec: Codec<Value> {
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

  /// The expected values, with a suggestion for a misspelling.
  private func found(in node: JSONNode) -> String {
    let given = node.string ?? node.members?.first?.key
    let nearest = given.flatMap { given in
      Spelling.nearest(to: given, among: words.map(\.word) + variants.map(\.tag))
    }
    return nearest.map { "\(expected) (did you mean \(JSONText.quoted($0))?)" } ?? expected
  }
}
